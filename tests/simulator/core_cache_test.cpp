// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/core_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.hpp"

namespace foretile::core_cache_test {
namespace {

constexpr TileRef a(TileId id) {
  return {Matrix::a, id};
}

CacheModel of(std::int64_t bytes) {
  CacheModel model;
  model.bytes = bytes;
  return model;
}

/// Of 100 bytes, 40 each for A0 and A1: A2 drives out the one that was used longer ago.
TEST(CoreCache, LeastRecentlyUsedLeavesFirst) {
  CoreCache cache(of(100));
  EXPECT_EQ(cache.use(a(0), 40), 0);
  EXPECT_EQ(cache.use(a(1), 40), 0);
  EXPECT_EQ(cache.use(a(0), 40), 1);
  EXPECT_EQ(cache.use(a(2), 40), 0);
  EXPECT_EQ(cache.use(a(0), 40), 1);
  EXPECT_EQ(cache.use(a(1), 40), 0);
}

TEST(CoreCache, TilesOfDifferentMatricesDiffer) {
  CoreCache cache(of(100));
  EXPECT_EQ(cache.use({Matrix::a, 7}, 10), 0);
  EXPECT_EQ(cache.use({Matrix::b, 7}, 10), 0);
  EXPECT_EQ(cache.use({Matrix::a, 7}, 10), 1);
}

/// What is larger than the cache drives out everything and does not stay itself.
TEST(CoreCache, TooLargeATileNeverStays) {
  CoreCache cache(of(100));
  cache.use(a(0), 40);
  EXPECT_EQ(cache.use(a(1), 101), 0);
  EXPECT_EQ(cache.use(a(1), 101), 0);
  EXPECT_EQ(cache.use(a(0), 40), 0);
}

/// Half of the cache is another's: A0 and A1 do not fit into it together.
TEST(CoreCache, APartOfIt) {
  CoreCache cache(of(100), 0.5);
  cache.use(a(0), 40);
  EXPECT_EQ(cache.use(a(0), 40), 1);
  cache.use(a(1), 40);
  EXPECT_EQ(cache.use(a(0), 40), 0);
}

TEST(CoreCache, WithoutOneNothingIsKept) {
  CoreCache cache(of(0));
  cache.use(a(0), 40);
  EXPECT_EQ(cache.use(a(0), 40), 0);
}

/// Of 1000 bytes, all of the gain is left within 100, half of it up to the next step, 141, none beyond.
TEST(CoreCache, TheGainFallsWithTheBytesUsedMeanwhile) {
  CacheModel model = of(1000);
  model.kept = {1, 0, 0, 0, 0, 0, 0};
  CoreCache cache(model);
  cache.use(a(0), 50);
  cache.use(a(1), 50);
  EXPECT_EQ(cache.use(a(0), 50), 1);
  cache.use(a(2), 75);
  EXPECT_NEAR(cache.use(a(0), 50), 0.75, 1e-12);  // 125 bytes: a quarter of the way to the next figure
  cache.use(a(3), 200);
  EXPECT_EQ(cache.use(a(0), 50), 0);
}

/// The plain way: all tiles used since the last use of this one, each once.
struct Reference {
  std::vector<std::pair<TileId, std::int64_t>> newest_last;

  /// Bytes, its own among them; 0 for the first use.
  std::int64_t use(TileId tile, std::int64_t bytes) {
    const auto is = [&](const auto& entry) { return entry.first == tile; };
    const auto found = std::find_if(newest_last.begin(), newest_last.end(), is);
    std::int64_t distance = 0;
    for (auto i = found; i != newest_last.end(); ++i) distance += i->second;
    if (found != newest_last.end()) newest_last.erase(found);
    newest_last.emplace_back(tile, bytes);
    return distance;
  }
};

/// A tile keeps what the step of its distance keeps.
TEST(CoreCache, AgreesWithAllDistancesCounted) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    CacheModel model = of(random.integer(50, 4000));
    model.kept = {1, 0.9, 0.8, 0.5, 0.3, 0.3, 0.1};
    std::vector<std::int64_t> bytes;
    for (int tile = 0; tile < 60; ++tile) bytes.push_back(random.integer(1, 200));
    CoreCache cache(model);
    Reference reference;
    for (int i = 0; i < 3000; ++i) {
      const auto tile = static_cast<TileId>(random.integer(0, 59));
      const std::int64_t size = bytes[static_cast<std::size_t>(tile)];
      const auto distance = static_cast<double>(reference.use(tile, size));
      const double kept = cache.use(a(tile), size);
      if (distance == 0) {
        ASSERT_EQ(kept, 0) << i;
        continue;
      }
      // Steps of sqrt(2): their middle is within a factor 2^(1/4) of the distance, and of the bytes cut off.
      const double step = 1.1893, whole = 1 + 1 / (0.1 * static_cast<double>(model.bytes));
      const auto limit = static_cast<double>(model.bytes) * 6.4;
      if (distance < 0.98 * limit) {
        ASSERT_LE(kept, model.kept_after(distance / step / whole) + 1e-9) << i;
      }
      if (distance * step * whole < limit) {
        ASSERT_GE(kept, model.kept_after(distance * step * whole) - 1e-9) << i;
      }
      if (distance > limit) {
        ASSERT_EQ(kept, 0) << i;
      }
    }
  }
}

}  // namespace
}  // namespace foretile::core_cache_test
