// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/stored_tiles.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/matrix_files/matrix_market.hpp"
#include "base/matrix_files/matrix_sums.hpp"

namespace foretile::stored_tiles_test {
namespace {

// Entries 3i and 4 fall into tile (0, 1) of tiles of 2: norm 5.
TEST(NonzeroTiles, CarryFrobeniusNorms) {
  const auto m =
      parse_matrix_market("%%MatrixMarket matrix coordinate complex general\n3 4 2\n1 3 0 3\n2 4 4 0\n", "a");
  const auto tiles = nonzero_tiles(m.entries, Tiling::uniform(3, 2), Tiling::uniform(4, 2));
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].row, 0);
  EXPECT_EQ(tiles[0].column, 1);
  EXPECT_FLOAT_EQ(tiles[0].norm, 5.0F);
}

TEST(TileNorm, IsNeverTakenForZeroOrInfinity) {
  EXPECT_EQ(tile_norm(9), 3.0F);
  EXPECT_EQ(tile_norm(std::numeric_limits<long double>::quiet_NaN()), 3e38F);
  EXPECT_EQ(tile_norm(square_of(1e300)), 3e38F);
}

}  // namespace
}  // namespace foretile::stored_tiles_test
