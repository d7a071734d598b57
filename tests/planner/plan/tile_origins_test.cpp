// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/tile_origins.hpp"

#include <gtest/gtest.h>

namespace foretile::tile_origins_test {
namespace {

Contraction dense(std::vector<std::int64_t> m, std::vector<std::int64_t> n, std::vector<std::int64_t> k) {
  Tiling rows = Tiling::from_sizes(m);
  Tiling columns = Tiling::from_sizes(n);
  Tiling inner = Tiling::from_sizes(k);
  Shape a = Shape::dense(rows.tiles(), inner.tiles());
  Shape b = Shape::dense(inner.tiles(), columns.tiles());
  Shape c = Shape::dense(rows.tiles(), columns.tiles());
  return {"", rows, columns, inner, std::move(a), std::move(b), std::move(c), 0};
}

PlanFrame frame(ProcessGrid grid, Operands operands = {}) {
  PlanFrame made;
  made.grid = grid;
  made.operands = std::move(operands);
  return made;
}

// A grid of 1 x 2: rank 0 owns column 0 of A and receives column 1. Each rank makes its own B.
TEST(TileOrigins, OfAProductWithBGenerated) {
  const Contraction p = dense({4}, {4, 4}, {4, 4});
  const PlanFrame generated_b = frame({1, 2}, {.b = kGeneratedAndStays});
  const TileOrigins origins(p, generated_b);
  EXPECT_EQ(origins.of(0, {Matrix::a, 0}), HostTile::array);
  EXPECT_EQ(origins.of(0, {Matrix::a, 1}), HostTile::received);
  EXPECT_EQ(origins.of(1, {Matrix::a, 1}), HostTile::array);
  EXPECT_EQ(origins.of(0, {Matrix::b, 0}), HostTile::generated);
  EXPECT_EQ(origins.of(1, {Matrix::b, 0}), HostTile::generated);
}

// Where B streams it is distributed as A is; initial tiles of C are where they are computed.
TEST(TileOrigins, OfAProductWithBGiven) {
  const Contraction p = dense({4}, {4, 4}, {4, 4});
  const PlanFrame given_b = frame({1, 2});
  const TileOrigins origins(p, given_b);
  EXPECT_EQ(origins.of(0, {Matrix::b, 0}), HostTile::array);
  EXPECT_EQ(origins.of(0, {Matrix::b, 1}), HostTile::received);
  EXPECT_EQ(origins.of(1, {Matrix::c, 0}), HostTile::array);
}

// A rest at the end keeps the array, a larger last tile or a smaller one inside does not.
TEST(TileOrigins, TilesOfManySizesAreAllocatedByThemselves) {
  const auto a_of = [](std::vector<std::int64_t> k) {
    const Contraction p = dense({4}, {4}, std::move(k));
    const PlanFrame one_rank = frame({1, 1});
    return TileOrigins(p, one_rank).of(0, {Matrix::a, 0});
  };
  EXPECT_EQ(a_of({4, 4, 3}), HostTile::array);
  EXPECT_EQ(a_of({4, 4, 5}), HostTile::single);
  EXPECT_EQ(a_of({4, 3, 4}), HostTile::single);
  // Only K is irregular here, and C has no index K.
  const Contraction p = dense({4}, {4}, {4, 3, 4});
  const PlanFrame one_rank = frame({1, 1});
  EXPECT_EQ(TileOrigins(p, one_rank).of(0, {Matrix::c, 0}), HostTile::array);
}

}  // namespace
}  // namespace foretile::tile_origins_test
