// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/tile_tuples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace foretile::tile_tuples_test {
namespace {

/// Of 4 x 4 tuples each four that follow each other are a square of 2 x 2, and these are in the order of the
/// curve.
TEST(TileTuples, NearOnesFollowEachOther) {
  std::vector<TileTuple> tuples;
  for (std::int32_t i = 0; i < 4; ++i) {
    for (std::int32_t j = 0; j < 4; ++j) tuples.push_back({i, j});
  }
  sort_by_nearness(tuples);
  EXPECT_EQ(std::vector<TileTuple>(tuples.begin(), tuples.begin() + 8),
            (std::vector<TileTuple>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  EXPECT_EQ(tuples.back(), (TileTuple{3, 3}));
}

/// Any number of tiles: all tuples are there, and a quarter of them has half of the tiles of each index at
/// most, and one more.
TEST(TileTuples, AreInBlocks) {
  std::vector<TileTuple> tuples;
  for (std::int32_t i = 0; i < 16; ++i) {
    for (std::int32_t j = 0; j < 16; ++j) tuples.push_back({i, j});
  }
  const std::set<TileTuple> all(tuples.begin(), tuples.end());
  sort_by_nearness(tuples);
  EXPECT_EQ(std::set<TileTuple>(tuples.begin(), tuples.end()), all);
  for (std::size_t first = 0; first < tuples.size(); first += 64) {
    std::set<std::int32_t> i, j;
    for (std::size_t n = first; n < first + 64; ++n) i.insert(tuples[n][0]), j.insert(tuples[n][1]);
    EXPECT_EQ(i.size(), 8U);
    EXPECT_EQ(j.size(), 8U);
  }
  std::vector<TileTuple> none{{}};
  sort_by_nearness(none);
  EXPECT_EQ(none, std::vector<TileTuple>{{}});
}

}  // namespace
}  // namespace foretile::tile_tuples_test
