// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays/b_stays.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "planner/problem/kinds/dense.hpp"
#include "tests/planner/small_machine.hpp"

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

/// 12 rows of tiles of A with 1200 bytes each, 14400 bytes in all; C has as many, a sixth of them on a rank.
/// Without staging p = 1 needs 16800 bytes, 2 9600, 3 7200 and 6 4800.
TEST(BStays, NamesRowsOfTheGridWithWhichARankKeepsLess) {
  DenseParameters sizes;
  sizes.m = 120;
  sizes.n = sizes.k = sizes.tile = 15;
  sizes.m_tile = 10;
  const Contraction p = dense_contraction(sizes);
  const auto rows = [&](std::int64_t host_bytes, Settings settings = {}) {
    settings.merge(Settings{{"strategy", "stationary-b"}, {"staging_fraction", "0"}});
    std::vector<std::string> values;
    for (const Settings& change :
         changes_with_less_per_rank(p, small_machine(6, 1, 100000, host_bytes), settings)) {
      values.push_back(change.empty() ? "as it is" : change.at("grid.p"));
    }
    return values;
  };
  using Values = std::vector<std::string>;
  EXPECT_EQ(rows(9600), (Values{"2", "3", "6"}));
  EXPECT_EQ(rows(9599), (Values{"3", "6"}));
  EXPECT_EQ(rows(9600, {{"grid.p", "3"}}), (Values{"as it is", "6"}));
  EXPECT_TRUE(rows(4799).empty());
  EXPECT_TRUE(rows(9600, {{"strategy", "auto"}}).empty());
}

TEST(CyclicChunks, NoTilesNoChunks) {
  EXPECT_TRUE(cyclic_chunks({{}, {}}, 1, [](TileId) { return 1; }).empty());
}

}  // namespace
}  // namespace foretile::b_stays_test
