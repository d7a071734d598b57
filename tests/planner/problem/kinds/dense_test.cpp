// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/dense.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace foretile::dense_test {
namespace {

TileSize usual(std::int64_t m, std::int64_t n, std::int64_t k) {
  return usual_tiles(m, n, k);
}

// 20000: ten parts of 2000 rows, so 2^21 / 2000 = 1048 columns, 20 parts of 1000. 20000 columns beside tiles
// of 256 rows: 8192 columns would make 2^21 elements, but 2048 are the most. 10000 in six parts of 1667 (up)
// rows; 2^21 / 1667 = 1258, and 10000 in 8 parts: 1250.
TEST(UsualTiles, AreTallAndOfAnEvenNumber) {
  const auto is = [](const TileSize& tile, std::int64_t m, std::int64_t n, std::int64_t k) {
    EXPECT_EQ(tile.m, m);
    EXPECT_EQ(tile.n, n);
    EXPECT_EQ(tile.k, k);
  };
  is(usual(20000, 20000, 20000), 2000, 1000, 1000);
  is(usual(512, 20000, 8192), 256, 2000, 1024);
  is(usual(10000, 10000, 10000), 1667, 1250, 1000);
  is(usual(1, 1, 1), 1, 1, 1);
}

// A side of more than 2048 in six parts: 2080 / 6 = 346.7. One of 2048 or less: 2048 / 4 = 512; 1024 / 4 =
// 256; 512 / 4 is below 256, the least: two parts of 256. 300 in two parts of 150. 256 is one part.
TEST(UsualTiles, GiveAllCoresWork) {
  for (const auto& [extent, tile] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {5000, 834}, {2080, 347}, {2048, 512}, {1024, 256}, {512, 256}, {300, 150}, {256, 256}}) {
    EXPECT_EQ(usual(extent, extent, 100).m, tile) << extent;
    EXPECT_EQ(usual(extent, extent, 100).n, tile) << extent;
  }
}

Contraction built(const std::string& keys) {
  return build_contraction({"d", "kind = \"dense\"\nm = 10\nn = 10\nk = 10\n" + keys, "d.toml"});
}

TEST(Dense, AnIndexMayHaveTilesOfItsOwn) {
  const Contraction p = built("tile = 5\nm_tile = 4\nk_tiles = [1, 9]\n");
  EXPECT_EQ(p.m.tiles(), 3);
  EXPECT_EQ(p.m.size(2), 2);
  EXPECT_EQ(p.n.tiles(), 2);
  EXPECT_EQ(p.k.size(1), 9);
  EXPECT_EQ(built("m_tile = 4\nn_tile = 10\nk_tile = 20\n").k.tiles(), 1);
}

std::string refusal(const std::string& keys) {
  try {
    built(keys);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

// As in UsualTiles: 4096 in six parts of 683 rows and columns; K's own size stays.
TEST(Dense, WithoutASizeHasTheUsualTiles) {
  DenseParameters parameters;
  parameters.m = parameters.n = parameters.k = 4096;
  parameters.k_tile = 512;
  const Contraction p = dense_contraction(parameters);
  EXPECT_EQ(p.m.tiles(), 6);
  EXPECT_EQ(p.n.tiles(), 6);
  EXPECT_EQ(p.k.tiles(), 8);
}

TEST(Dense, SaysWhichSizesAreWrong) {
  EXPECT_NE(refusal("m_tile = 4\nn_tile = 4\n").find("tile"), std::string::npos);
  EXPECT_NE(refusal("tile = 4\nm_tile = 0\n").find("key 'm_tile': found 0"), std::string::npos);
  EXPECT_NE(refusal("tile = 4\nm_tile = 4\nm_tiles = [5, 5]\n").find("remove the size or the list"),
            std::string::npos);
}

}  // namespace
}  // namespace foretile::dense_test
