// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/plan/products.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

class Steps final : public VerifyPass {
 public:
  using VerifyPass::VerifyPass;

  /// Before any block is walked. Without barriers steps have no meaning.
  void open(Rank rank) override {
    if (plan_.barriers == Barriers::none) return;
    const auto& devices = plan_.ranks[static_cast<std::size_t>(rank)].devices;
    for (std::size_t d = 0; d < devices.size(); ++d)
      check(devices[d], fmt::format("rank {} device {}", rank, d));
  }

 private:
  static void check(const DevicePlan& device, const std::string& name) {
    int least = 0;
    for (std::size_t b = 0; b < device.blocks.size(); ++b) {
      for (const Chunk& chunk : device.blocks[b].chunks) {
        if (chunk.step < least || chunk.step == kEver) {
          throw broken_plan(fmt::format("{} block {}", name, b),
                            fmt::format("a chunk of step {}", chunk.step),
                            fmt::format("increasing steps, here at least {} and below {}", least, kEver));
        }
        least = chunk.step + 1;
      }
    }
  }
};

/// One bit for every pair of A_ik and B_kj, whether C keeps ij or not.
class ProductMarks {
 public:
  explicit ProductMarks(const Contraction& p) : p_(p), start_(p.a.nonzeros() + 1, 0) {
    for (TileId a = 0; a < p.a.nonzeros(); ++a) {
      start_[a + 1] = start_[a] + static_cast<std::int64_t>(p.b.row(p.a.column_of(a)).size());
    }
    done_.assign(start_.back(), false);
  }

  void mark(const Block& block) {
    for_each_product(p_, block, [this](const Product& product) { done_[number_of(product)] = true; });
  }

  /// The first product of the block that was marked before, if there is one.
  std::optional<Product> mark_new(const Block& block) {
    std::optional<Product> again;
    for_each_product(p_, block, [&](const Product& product) {
      auto mark = done_[number_of(product)];
      if (mark && !again) again = product;
      mark = true;
    });
    return again;
  }

  void require_all() const {
    for (TileId a = 0; a < p_.a.nonzeros(); ++a) {
      const std::int32_t i = p_.a.row_of(a);
      const std::int32_t k = p_.a.column_of(a);
      const auto columns = p_.b.row(k);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        if (!done_[start_[a] + static_cast<std::int64_t>(e)] && p_.c.contains(i, columns[e])) {
          throw broken_plan("product", fmt::format("no task for A({},{}) B({},{})", i, k, k, columns[e]),
                            "every nonzero product once");
        }
      }
    }
  }

 private:
  std::size_t number_of(const Product& product) const {
    return static_cast<std::size_t>(start_[product.a] + product.b - p_.b.first(product.k));
  }

  const Contraction& p_;
  std::vector<std::int64_t> start_;
  std::vector<bool> done_;
};

/// Products A_ik B_kj with both nonzero and ij in C.
std::int64_t count_products(const Contraction& p) {
  std::int64_t count = 0;
  std::vector<char> kept(p.n.tiles(), 0);
  for (std::int32_t i = 0; i < p.m.tiles(); ++i) {
    const bool all = static_cast<std::int32_t>(p.c.row(i).size()) == p.n.tiles();
    for (const std::int32_t j : p.c.row(i)) kept[j] = 1;
    for (const std::int32_t k : p.a.row(i)) {
      const auto columns = p.b.row(k);
      if (all) {
        count += static_cast<std::int64_t>(columns.size());
        continue;
      }
      for (const std::int32_t j : columns) count += kept[j];
    }
    for (const std::int32_t j : p.c.row(i)) kept[j] = 0;
  }
  return count;
}

/// For a plan that computes no product twice, and `computed` altogether: throws InputError that names the
/// first missing one unless these are all. Only then it looks at single products, with a bit for each.
void require_all_products(const Plan& plan, const Contraction& contraction, std::int64_t computed) {
  if (computed == count_products(contraction)) return;
  ProductMarks marks(contraction);
  for (const RankPlan& rank : plan.ranks) {
    for (const DevicePlan& device : rank.devices) {
      for (const Block& block : device.blocks) marks.mark(block);
    }
  }
  marks.require_all();
}

class GeneratedOnce final : public VerifyPass {
 public:
  explicit GeneratedOnce(const VerifyView& view)
      : VerifyPass(view), made_by_(plan_.operands.b.generated() ? problem_.b.nonzeros() : 0, -1) {}

  void open(Rank rank) override { rank_ = rank; }
  void block(const WalkedBlock& walked, const std::string& where) override {
    if (!plan_.operands.b.generated()) return;
    for (const auto& chunk : walked.tiles.b) {
      for (const TileId b : chunk) {
        if (made_by_[b] == rank_)
          throw broken_plan(where, fmt::format("B tile {} generated again", b), "at most once per rank");
        made_by_[b] = rank_;
      }
    }
  }

 private:
  Rank rank_ = 0;
  std::vector<std::int32_t> made_by_;  // rank that made a tile of B last
};

class Products final : public VerifyPass {
 public:
  explicit Products(const VerifyView& view)
      : VerifyPass(view), in_block_(plan_.partial_sums ? 0 : problem_.c.nonzeros(), 0) {
    if (plan_.partial_sums) marks_.emplace(problem_);
  }

  void block(const WalkedBlock& walked, const std::string& where) override {
    computed_ += walked.tiles.gemms;
    if (marks_) {
      if (const auto again = marks_->mark_new(*walked.block)) {
        throw broken_plan(where,
                          fmt::format("A({},{}) B({},{}) again", again->i, again->k, again->k, again->j),
                          "every nonzero product once");
      }
      return;
    }
    for (const TileId c : walked.tiles.c) {
      if (in_block_[c])
        throw broken_plan(where, fmt::format("C tile {} in a second block", c), "each C tile in one block");
      in_block_[c] = 1;
    }
  }
  void finish(PlanSummary&) override {
    if (marks_) {
      marks_->require_all();
    } else {
      require_all_products(plan_, problem_, computed_);
    }
  }

 private:
  std::vector<char> in_block_;         // of each tile of C, which is in one block
  std::optional<ProductMarks> marks_;  // where it may be in several
  std::int64_t computed_ = 0;
};

}  // namespace

Pass steps_pass(const VerifyView& view) {
  return std::make_unique<Steps>(view);
}

Pass generated_once_pass(const VerifyView& view) {
  return std::make_unique<GeneratedOnce>(view);
}

Pass products_pass(const VerifyView& view) {
  return std::make_unique<Products>(view);
}

}  // namespace foretile
