#include "planner/verify/product_count.hpp"

#include <fmt/format.h>

#include <vector>

#include "planner/plan/products.hpp"
#include "planner/verify/errors.hpp"

namespace foretile {

namespace {

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
    const BlockProducts products(p_, block.columns);
    for (const Chunk& chunk : block.chunks) {
      for (const TileId a : chunk.a) {
        products.for_each(
            a, [&](const Product& product) { done_[start_[a] + product.b - p_.b.first(product.k)] = true; });
      }
    }
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
  const Contraction& p_;
  std::vector<std::int64_t> start_;
  std::vector<bool> done_;
};

}  // namespace

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

}  // namespace foretile
