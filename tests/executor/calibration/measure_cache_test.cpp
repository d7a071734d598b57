// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_cache.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretile::measure_cache_test {
namespace {

/// From 10 to 14 the middle is 12, half of the way from 11 at 8 MB to 13 at 16 MB: 8 MB * sqrt(2).
TEST(CacheBytes, HalfwayByHand) {
  EXPECT_NEAR(cache_bytes({{4e6, 10}, {8e6, 11}, {16e6, 13}, {32e6, 14}}), 11.3137e6, 1e2);
}

TEST(CacheBytes, NoneWhereNothingIsFelt) {
  EXPECT_EQ(cache_bytes({{4e6, 10}, {8e6, 10.1}, {16e6, 10.4}}), 0);
  EXPECT_EQ(cache_bytes({{4e6, 10}}), 0);
  EXPECT_EQ(cache_bytes({}), 0);
}

/// From 0.5 to 1: of the gain 0.9 is left at 8 MB and 0.3 at 16 MB, and in between by the logarithm: at 10
/// MB, 40% of 25 MB, 0.9 - 0.6 * log2(10/8). All is left in less than the smallest ring, nothing beyond the
/// largest.
TEST(KeptShares, ByHand) {
  const std::vector<RingSample> rings = {{4e6, 0.5}, {8e6, 0.55}, {16e6, 0.85}, {32e6, 1}};
  const auto kept = kept_shares(rings, 25e6);  // 2.5, 5, 10, 20, 40, ... MB
  EXPECT_DOUBLE_EQ(kept[0], 1);
  EXPECT_NEAR(kept[1], 1 - 0.1 * std::log2(5.0 / 4), 1e-12);
  EXPECT_NEAR(kept[2], 0.9 - 0.6 * std::log2(10.0 / 8), 1e-12);
  EXPECT_NEAR(kept[3], 0.3 - 0.3 * std::log2(20.0 / 16), 1e-12);
  EXPECT_NEAR(kept[4], 0, 1e-12);
  EXPECT_NEAR(kept[6], 0, 1e-12);
}

/// 0.2 and 0.4 of the gain, in rings of 8 and 16 MB, become 0.3 each.
TEST(KeptShares, DoNotRise) {
  const auto kept = kept_shares({{4e6, 0.5}, {8e6, 0.9}, {16e6, 0.8}, {32e6, 1}}, 80e6);  // 8, 16, 32, ... MB
  EXPECT_NEAR(kept[0], 0.3, 1e-12);
  EXPECT_NEAR(kept[1], 0.3, 1e-12);
  EXPECT_NEAR(kept[2], 0, 1e-12);
}

/// From the second value on: 3 and 1 fall and become 2 each, which 0.5 makes (2 + 2 + 0.5) / 3 = 1.5 each;
/// 4 stays.
TEST(RisingFrom, PoolsWhatFallsByHand) {
  EXPECT_EQ(rising_from({9, 3, 1, 0.5, 4}, 1), (std::vector<double>{9, 1.5, 1.5, 1.5, 4}));
  EXPECT_EQ(rising_from({9, 3, 1, 2, 4}, 1), (std::vector<double>{9, 2, 2, 2, 4}));
  EXPECT_EQ(rising_from({1, 2, 3}, 0), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(rising_from({2, 1}, 5), (std::vector<double>{2, 1}));
  EXPECT_TRUE(rising_from({}, 0).empty());
}

/// In memory of any size the figures are in their ranges; what they are depends on the machine.
TEST(MeasureCache, StaysInRange) {
  std::vector<Workspace> spaces = make_workspaces(1, 24 << 20, 128);
  fill(spaces, Precision::f64);
  const CacheModel found = measure_cache(spaces, {.seconds = 0.001, .rounds = 1});
  EXPECT_GE(found.bytes, 0);
  EXPECT_LE(found.bytes, 16 << 20);
  for (const double share : found.kept) {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
  }
  for (const double factor : found.factors) {
    EXPECT_GT(factor, 0);
    EXPECT_LE(factor, 1);
  }
}

}  // namespace
}  // namespace foretile::measure_cache_test
