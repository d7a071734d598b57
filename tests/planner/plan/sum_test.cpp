// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/sum.hpp"

#include <gtest/gtest.h>

#include "planner/plan/owners.hpp"
#include "planner/plan/plan.hpp"

namespace foretile::sum_test {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

TEST(Sum, AChainAddsOneAfterTheOther) {
  EXPECT_EQ(additions(Tree::chain, 0), Pairs{});
  EXPECT_EQ(additions(Tree::chain, 1), Pairs{});
  EXPECT_EQ(additions(Tree::chain, 4), (Pairs{{0, 1}, {0, 2}, {0, 3}}));
}

/// 0 1 2 3 4: (0+1), (2+3), 4; then (0+2), 4; then 0+4.
TEST(Sum, ABinaryTreeAddsNeighbours) {
  EXPECT_EQ(additions(Tree::binomial, 1), Pairs{});
  EXPECT_EQ(additions(Tree::binomial, 5), (Pairs{{0, 1}, {2, 3}, {0, 2}, {0, 4}}));
}

/// Of five tiles: 0 is of one device; 1 of two; 2 of one, and a part comes; 3 goes to rank 1, which owns it.
TEST(Sum, SomeAreStoredOnce) {
  Plan plan;
  plan.ranks.resize(2);
  plan.ranks[0].sums = {{{0}, {0}, {}}, {{1}, {0, 1}, {}}, {{2}, {0}, {1}}, {{3}, {0}, {}, Rank(1)}};
  plan.ranks[1].sums = {{{3}, {}, {0}}, {{4}, {1}, {}}};
  EXPECT_EQ(stored_once(5, plan), (std::vector<bool>{true, false, false, false, true}));
}

TEST(Sum, AMessageTakesThePartsToOneRank) {
  const Transfer message = parts_message({{3, 5}, {0}, {}, Rank(2)});
  EXPECT_EQ(message.tiles, (std::vector<TileId>{3, 5}));
  EXPECT_EQ(message.others, std::vector<Rank>{2});
  EXPECT_EQ(message.matrix, Matrix::c);
  EXPECT_EQ(message.kind, TransferKind::parts);
}

}  // namespace
}  // namespace foretile::sum_test
