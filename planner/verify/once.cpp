#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "planner/verify/errors.hpp"
#include "planner/verify/pass.hpp"
#include "planner/verify/product_count.hpp"

namespace foretile {

namespace {

class MadeOnce final : public VerifyPass {
 public:
  explicit MadeOnce(const VerifyView& view)
      : VerifyPass(view), made_by_(plan_.operands.b.made() ? problem_.b.nonzeros() : 0, -1) {}

  void open(int rank) override { rank_ = rank; }
  void block(const WalkedBlock& walked, const std::string& where) override {
    if (!plan_.operands.b.made()) return;
    for (const auto& chunk : walked.tiles.b) {
      for (const TileId b : chunk) {
        if (made_by_[b] == rank_)
          throw broken_plan(where, fmt::format("B tile {} generated again", b), "at most once per rank");
        made_by_[b] = rank_;
      }
    }
  }

 private:
  int rank_ = 0;
  std::vector<std::int32_t> made_by_;  // rank that made a tile of B last
};

class Products final : public VerifyPass {
 public:
  explicit Products(const VerifyView& view) : VerifyPass(view), in_block_(problem_.c.nonzeros(), 0) {}

  void block(const WalkedBlock& walked, const std::string& where) override {
    for (const TileId c : walked.tiles.c) {
      if (in_block_[c])
        throw broken_plan(where, fmt::format("C tile {} in a second block", c), "each C tile in one block");
      in_block_[c] = 1;
    }
    computed_ += walked.tiles.gemms;
  }
  void finish(PlanSummary&) override { require_all_products(plan_, problem_, computed_); }

 private:
  std::vector<char> in_block_;
  std::int64_t computed_ = 0;
};

}  // namespace

Pass made_once_pass(const VerifyView& view) {
  return std::make_unique<MadeOnce>(view);
}

Pass products_pass(const VerifyView& view) {
  return std::make_unique<Products>(view);
}

}  // namespace foretile
