#include "planner/grid.hpp"

#include <gtest/gtest.h>

#include <set>

namespace foretile {
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
  const ProcessGrid grid{4, 4, 1, NodeShape{2, 2, 1}};
  EXPECT_EQ(grid.rank(0, 2), 4);
  EXPECT_EQ(grid.rank(1, 1), 3);
  EXPECT_EQ(grid.rank(3, 0), 10);
  EXPECT_EQ(grid.rank(2, 3), 13);
  EXPECT_EQ(grid.row(13), 2);
  EXPECT_EQ(grid.column(13), 3);
}

TEST(ProcessGrid, EveryPlaceHasOneRank) {
  for (const int p : {1, 2, 6}) {
    for (const int q : {1, 4}) {
      for (const int r : {1, 2, 3}) {
        for (const int x : {0, 1, 2, 3}) {
          for (const int y : {1, 2}) {
            for (const int z : {1, 2}) {
              if (x > 0 && (p % x != 0 || q % y != 0 || r % z != 0)) continue;
              const ProcessGrid grid{p, q, r, x > 0 ? std::optional(NodeShape{x, y, z}) : std::nullopt};
              std::set<int> ranks;
              for (int rank = 0; rank < grid.size(); ++rank) {
                ASSERT_LT(grid.row(rank), p);
                ASSERT_LT(grid.column(rank), q);
                ASSERT_LT(grid.layer(rank), r);
                ASSERT_EQ(grid.rank(grid.row(rank), grid.column(rank), grid.layer(rank)), rank);
                ranks.insert(rank);
              }
              // The ranks of a node are x * y * z that follow each other.
              if (x == 0) continue;
              const int node = x * y * z;
              for (const int rank : ranks) {
                ASSERT_EQ(grid.row(rank) / x, grid.row(rank / node * node) / x);
                ASSERT_EQ(grid.column(rank) / y, grid.column(rank / node * node) / y);
                ASSERT_EQ(grid.layer(rank) / z, grid.layer(rank / node * node) / z);
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace foretile
