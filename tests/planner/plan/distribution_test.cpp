// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace foretile::distribution_test {
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

Rank owner(const ProcessGrid& grid, Matrix matrix, std::int32_t row, std::int32_t column) {
  return owner_of(kDense, grid, {}, {matrix, *shape_of(kDense, matrix).find(row, column)});
}

/// On 2 x 3 ranks, one layer: tile (i, j) at row i mod 2, column j mod 3.
TEST(Distribution, CyclicOnOneLayer) {
  const ProcessGrid grid{2, 3};
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    EXPECT_EQ(owner(grid, matrix, 0, 0), 0);
    EXPECT_EQ(owner(grid, matrix, 2, 3), 0);
    EXPECT_EQ(owner(grid, matrix, 1, 2), 3 + 2);
    EXPECT_EQ(owner(grid, matrix, 2, 1), 1);
  }
}

/// On 2 x 3 x 4 ranks, where rank = 6 layer + 3 row + column.
///   A(1, 21): row 1; layer 21 mod 4 = 1; column (21 div 4) mod 3 = 5 mod 3 = 2: rank 6 + 3 + 2.
///   B(23, 5): layer 23 mod 4 = 3; row (23 div 4) mod 2 = 5 mod 2 = 1; column 5 mod 3 = 2: rank 18 + 3 + 2.
///   C(3, 6): row 1; column 0; layer (3 div 2 + 6 div 3 + 1 + 0) mod 4 = (1 + 2 + 1) mod 4 = 0: rank 3.
///   C(2, 8): row 0; column 2; layer (1 + 2 + 0 + 2) mod 4 = 1: rank 6 + 2.
TEST(Distribution, CyclicOnFourLayers) {
  const ProcessGrid grid{2, 3, 4};
  EXPECT_EQ(cyclic_owner(grid, Matrix::a, 1, 21), 6 + 3 + 2);
  EXPECT_EQ(cyclic_owner(grid, Matrix::b, 23, 5), 18 + 3 + 2);
  EXPECT_EQ(cyclic_owner(grid, Matrix::c, 3, 6), 3);
  EXPECT_EQ(cyclic_owner(grid, Matrix::c, 2, 8), 6 + 2);
}

/// 15 tiles on 4 ranks: 4, 4, 4 and 3.
TEST(Distribution, ContiguousRanksDifferByOneTile) {
  std::vector<int> owners;
  for (TileId tile = 0; tile < 15; ++tile) {
    owners.push_back(owner_of(kDense, {2, 2}, {DistributionKind::contiguous, {}}, {Matrix::a, tile}));
  }
  EXPECT_EQ(owners, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3}));
}

/// Fewer tiles than ranks: the last ranks have none.
TEST(Distribution, ContiguousWithIdleRanks) {
  for (TileId tile = 0; tile < 3; ++tile) EXPECT_EQ(contiguous_owner(tile, 3, 8), tile);
}

TEST(Distribution, ATableListsTheOwners) {
  const Distribution table{DistributionKind::table, {3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2}};
  EXPECT_EQ(owner_of(kDense, {2, 2}, table, {Matrix::c, 0}), 3);
  EXPECT_EQ(owner_of(kDense, {2, 2}, table, {Matrix::c, 2}), 1);
  EXPECT_EQ(owner_of(kDense, {2, 2}, table, {Matrix::c, 11}), 2);
}

/// Those that cyclic_owner() gives to the rank, by increasing k, and none twice.
TEST(Distribution, CyclicallyOwnedTilesAreThoseOfTheirOwner) {
  for (const ProcessGrid grid : {ProcessGrid{2, 2}, {1, 4}, {2, 1, 2}, {2, 2, 2, AlongAxes{{1, 2, 2}}}}) {
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      const Shape& shape = shape_of(kDense, matrix);
      std::vector<int> visits(shape.nonzeros(), 0);
      for (Rank rank = 0; rank < grid.size(); ++rank) {
        std::int32_t last = 0;
        for_each_cyclically_owned(kDense, grid, matrix, rank, [&](TileId tile, std::int32_t k) {
          EXPECT_EQ(cyclic_owner(grid, matrix, shape.row_of(tile), shape.column_of(tile)), rank);
          EXPECT_EQ(k, matrix == Matrix::a ? shape.column_of(tile) : shape.row_of(tile));
          EXPECT_GE(k, last);
          last = k;
          ++visits[tile];
        });
      }
      EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), shape.nonzeros());
    }
  }
}

}  // namespace
}  // namespace foretile::distribution_test
