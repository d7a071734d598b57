// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/core_cache.hpp"

#include <gtest/gtest.h>

namespace foretile::core_cache_test {
namespace {

constexpr TileRef a(TileId id) {
  return {Matrix::a, id};
}

/// Of 100 bytes, 40 each for A0 and A1: A2 drives out the one that was used longer ago.
TEST(CoreCache, LeastRecentlyUsedLeavesFirst) {
  CoreCache cache(100);
  EXPECT_FALSE(cache.use(a(0), 40));
  EXPECT_FALSE(cache.use(a(1), 40));
  EXPECT_TRUE(cache.use(a(0), 40));
  EXPECT_FALSE(cache.use(a(2), 40));
  EXPECT_TRUE(cache.use(a(0), 40));
  EXPECT_FALSE(cache.use(a(1), 40));
}

TEST(CoreCache, TilesOfDifferentMatricesDiffer) {
  CoreCache cache(100);
  EXPECT_FALSE(cache.use({Matrix::a, 7}, 10));
  EXPECT_FALSE(cache.use({Matrix::b, 7}, 10));
  EXPECT_TRUE(cache.use({Matrix::a, 7}, 10));
}

/// What is larger than the cache drives out everything and does not stay itself.
TEST(CoreCache, TooLargeATileNeverStays) {
  CoreCache cache(100);
  cache.use(a(0), 40);
  EXPECT_FALSE(cache.use(a(1), 101));
  EXPECT_FALSE(cache.use(a(1), 101));
  EXPECT_FALSE(cache.use(a(0), 40));
}

}  // namespace
}  // namespace foretile::core_cache_test
