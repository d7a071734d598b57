// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays.hpp"

#include <gtest/gtest.h>

namespace foretile::b_stays_test {
namespace {

using Tiles = std::vector<TileId>;

/// Row 0 has a tile of 48 bytes, row 1 two of 96 and 32. In turn: 0, 1, then 2 (row 0 is used up). Room for
/// 144: {0, 1}, {2}; room for 128: {0}, {1, 2}.
TEST(CyclicChunks, ByHand) {
  const std::vector<Tiles> rows{{0}, {1, 2}};
  const auto bytes = [](TileId a) { return Tiles{48, 96, 32}[a]; };
  const auto tiles = [&](std::int64_t capacity) {
    std::vector<Tiles> found;
    for (const Chunk& chunk : cyclic_chunks(rows, capacity, bytes)) found.push_back(chunk.a);
    return found;
  };
  EXPECT_EQ(tiles(144), (std::vector<Tiles>{{0, 1}, {2}}));
  EXPECT_EQ(tiles(128), (std::vector<Tiles>{{0}, {1, 2}}));
}

TEST(CyclicChunks, NoTilesNoChunks) {
  EXPECT_TRUE(cyclic_chunks({{}, {}}, 1, [](TileId) { return 1; }).empty());
}

}  // namespace
}  // namespace foretile::b_stays_test
