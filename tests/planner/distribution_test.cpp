#include "planner/distribution.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

/// A is 3 x 5 tiles, B 5 x 4, C 3 x 4, all dense.
const Contraction kDense{"",
                         Tiling::uniform(3, 1),
                         Tiling::uniform(4, 1),
                         Tiling::uniform(5, 1),
                         Shape::dense(3, 5),
                         Shape::dense(5, 4),
                         Shape::dense(3, 4),
                         0};

int owner(const ProcessGrid& grid, Matrix matrix, std::int32_t row, std::int32_t column) {
  return owner_of(kDense, grid, {}, {matrix, *shape_of(kDense, matrix).find(row, column)});
}

/// On 2 x 2 ranks, one layer: tile (i, j) at row i mod 2, column j mod 2.
TEST(Distribution, CyclicOnOneLayer) {
  const ProcessGrid grid{2, 2};
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    EXPECT_EQ(owner(grid, matrix, 0, 0), 0);
    EXPECT_EQ(owner(grid, matrix, 2, 3), 1);
    EXPECT_EQ(owner(grid, matrix, 1, 2), 2);
    EXPECT_EQ(owner(grid, matrix, 1, 3), 3);
  }
}

/// On 2 x 2 x 2 ranks, where rank = 4 layer + 2 row + column. A(1, 3): row 1, layer 3 mod 2 = 1, column
/// (3 div 2) mod 2 = 1. B(3, 2): row (3 div 2) mod 2 = 1, column 0, layer 1. C(2, 1): row 0, column 1, layer
/// (2 div 2 + 1 div 2) mod 2 = 1; C(2, 2): layer (1 + 1) mod 2 = 0.
TEST(Distribution, CyclicOnTwoLayers) {
  const ProcessGrid grid{2, 2, 2};
  EXPECT_EQ(owner(grid, Matrix::a, 1, 3), 4 + 2 + 1);
  EXPECT_EQ(owner(grid, Matrix::b, 3, 2), 4 + 2);
  EXPECT_EQ(owner(grid, Matrix::c, 2, 1), 4 + 1);
  EXPECT_EQ(owner(grid, Matrix::c, 2, 2), 0);
}

/// 15 tiles on 4 ranks: 4, 4, 4 and 3.
TEST(Distribution, ContiguousRanksDifferByOneTile) {
  std::vector<int> owners;
  for (TileId tile = 0; tile < 15; ++tile) {
    owners.push_back(owner_of(kDense, {2, 2}, {Deal::contiguous, {}}, {Matrix::a, tile}));
  }
  EXPECT_EQ(owners, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3}));
}

/// Fewer tiles than ranks: the last ranks have none.
TEST(Distribution, ContiguousWithIdleRanks) {
  for (TileId tile = 0; tile < 3; ++tile) EXPECT_EQ(contiguous_owner(tile, 3, 8), tile);
}

TEST(Distribution, ATableSaysItRankByRank) {
  const Distribution table{Deal::table, {3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2}};
  EXPECT_EQ(owner_of(kDense, {2, 2}, table, {Matrix::c, 0}), 3);
  EXPECT_EQ(owner_of(kDense, {2, 2}, table, {Matrix::c, 2}), 1);
  EXPECT_EQ(owner_of(kDense, {2, 2}, table, {Matrix::c, 11}), 2);
}

TEST(Distribution, OwnedTilesAreThoseOfTheirOwner) {
  const Distribution table{Deal::table, {3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 1, 1, 0, 2, 3, 1, 0}};
  for (const ProcessGrid grid : {ProcessGrid{2, 2}, {1, 3}, {2, 1, 2}, {2, 2, 2, NodeShape{1, 2, 2}}}) {
    for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
      for (const Distribution& distribution : {Distribution{}, {Deal::contiguous, {}}, table}) {
        for (int rank = 0; rank < grid.size(); ++rank) {
          const auto owned = owned_by(kDense, grid, distribution, matrix, rank);
          ASSERT_EQ(std::ssize(owned), shape_of(kDense, matrix).nonzeros());
          for (TileId id = 0; id < std::ssize(owned); ++id)
            EXPECT_EQ(owned[id], owner_of(kDense, grid, distribution, {matrix, id}) == rank);
        }
      }
    }
  }
}

}  // namespace
}  // namespace foretile
