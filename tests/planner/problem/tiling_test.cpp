// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/tiling.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::tiling_test {
namespace {

TEST(Tiling, LastUniformTileIsTheRest) {
  const Tiling t = Tiling::uniform(10, 4);
  EXPECT_EQ(t.cuts(), (std::vector<std::int64_t>{0, 4, 8, 10}));
  EXPECT_EQ(t.size(2), 2);
  EXPECT_EQ(t.largest(), 4);
}

TEST(Tiling, FromSizesAddsUp) {
  const Tiling t = Tiling::from_sizes({3, 1, 2});
  EXPECT_EQ(t.extent(), 6);
  EXPECT_EQ(t.begin(2), 4);
}

TEST(Tiling, RefusesEmptyTilesAndRanges) {
  EXPECT_THROW(Tiling({0, 4, 4}), InputError);
  EXPECT_THROW(Tiling({1, 4}), InputError);
  EXPECT_THROW(Tiling({0}), InputError);
  EXPECT_THROW(Tiling::uniform(0, 4), InputError);
  EXPECT_THROW(Tiling::from_sizes({3, 0}), InputError);
}

TEST(Tiling, HasTilesThatBlasCanTake) {
  EXPECT_EQ(Tiling::from_sizes({max_tile_extent, max_tile_extent, 3}).extent(), 4294967297);  // 2^32 + 1
  EXPECT_THROW(Tiling::from_sizes({max_tile_extent + 1}), InputError);
}

}  // namespace
}  // namespace foretile::tiling_test
