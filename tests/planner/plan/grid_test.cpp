// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/grid.hpp"

#include <gtest/gtest.h>

namespace foretile::grid_test {
namespace {

/// 2 x 3: rank 4 is the second of the second row.
TEST(ProcessGrid, NaturalOrderGoesRowByRowAndLayerByLayer) {
  const ProcessGrid flat{2, 3};
  EXPECT_EQ(flat.size(), 6);
  EXPECT_EQ(flat.row(4), 1);
  EXPECT_EQ(flat.column(4), 1);
  EXPECT_EQ(flat.layer(4), 0);
  EXPECT_EQ(flat.rank(1, 1), 4);
  const ProcessGrid deep{2, 3, 2};
  EXPECT_EQ(deep.size(), 12);
  EXPECT_EQ(deep.row(10), 1);
  EXPECT_EQ(deep.column(10), 1);
  EXPECT_EQ(deep.layer(10), 1);
  EXPECT_EQ(deep.rank(1, 1, 1), 10);
}

/// 4 x 4 in nodes of 2 x 2:
///    0  1 |  4  5
///    2  3 |  6  7
///    -----+------
///    8  9 | 12 13
///   10 11 | 14 15
TEST(ProcessGrid, NodesAreBricks) {
  const ProcessGrid grid{4, 4, 1, AlongAxes{{2, 2, 1}}};
  EXPECT_EQ(grid.rank(0, 2), 4);
  EXPECT_EQ(grid.rank(1, 1), 3);
  EXPECT_EQ(grid.rank(3, 0), 10);
  EXPECT_EQ(grid.rank(2, 3), 13);
  EXPECT_EQ(grid.row(13), 2);
  EXPECT_EQ(grid.column(13), 3);
}

/// 2 x 2 x 2 in nodes of 1 x 2 x 2: the first node has row 0, layer by layer.
TEST(ProcessGrid, ANodeIsNumberedLayerByLayer) {
  const ProcessGrid grid{2, 2, 2, AlongAxes{{1, 2, 2}}};
  EXPECT_EQ(grid.rank(0, 1, 0), 1);
  EXPECT_EQ(grid.rank(0, 0, 1), 2);
  EXPECT_EQ(grid.rank(0, 1, 1), 3);
  EXPECT_EQ(grid.rank(1, 0, 0), 4);
}

void expect_one_rank_for_each_place(const ProcessGrid& grid) {
  for (Rank rank = 0; rank < grid.size(); ++rank) {
    ASSERT_LT(grid.row(rank), grid.p);
    ASSERT_LT(grid.column(rank), grid.q);
    ASSERT_LT(grid.layer(rank), grid.r);
    ASSERT_EQ(grid.rank(grid.row(rank), grid.column(rank), grid.layer(rank)), rank);
    if (!grid.node) continue;
    // The ranks of a node follow each other and are in one brick.
    const auto [x, y, z] = grid.node->numbers;
    const Rank first = Rank::of(rank / (x * y * z) * (x * y * z));
    ASSERT_EQ(grid.row(rank) / x, grid.row(first) / x);
    ASSERT_EQ(grid.column(rank) / y, grid.column(first) / y);
    ASSERT_EQ(grid.layer(rank) / z, grid.layer(first) / z);
  }
}

TEST(ProcessGrid, EveryPlaceHasOneRank) {
  const ProcessGrid grid{6, 4, 2};
  expect_one_rank_for_each_place(grid);
  for (const int x : {1, 2, 3, 6}) {
    for (const int y : {1, 2, 4}) {
      for (const int z : {1, 2}) expect_one_rank_for_each_place({6, 4, 2, AlongAxes{{x, y, z}}});
    }
  }
}

/// Four positions are numbers of two binary digits: from 1 = (1, 0) the lower digit turns first: 0 = (0, 0),
/// then the higher: 3 = (1, 1), 2 = (0, 1). So pairs of neighbours and halves of eight follow each other,
/// however many of the ranks share a node.
TEST(Grid, TurnsRoundInGroups) {
  EXPECT_EQ((ProcessGrid{1, 1, 4}.ring_from(Axis::r, 1)), (std::vector<int>{1, 0, 3, 2}));
  for (const int of_node : {1, 2, 4, 8}) {
    const ProcessGrid grid{1, 1, 8, AlongAxes{{1, 1, of_node}}};
    EXPECT_EQ(grid.ring_from(Axis::r, 6), (std::vector<int>{6, 7, 4, 5, 2, 3, 0, 1})) << of_node;
  }
}

/// Six positions, three in a node: the node of 4 is 3, 4, 5; then 0, 1, 2, beginning as far in.
TEST(Grid, TurnsRoundNodeAfterNode) {
  const ProcessGrid grid{1, 6, 1, AlongAxes{{1, 3, 1}}};
  EXPECT_EQ(grid.ring_from(Axis::q, 4), (std::vector<int>{4, 5, 3, 1, 2, 0}));
  EXPECT_EQ((ProcessGrid{1, 6}.ring_from(Axis::q, 4)), (std::vector<int>{4, 5, 0, 1, 2, 3}));
}

}  // namespace
}  // namespace foretile::grid_test
