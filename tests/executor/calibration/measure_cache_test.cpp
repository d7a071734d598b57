// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_cache.hpp"

#include <gtest/gtest.h>

namespace foretile::measure_cache_test {
namespace {

/// From 10 to 14 us the middle is 12, half of the way from 11 us at 8 MB to 13 us at 16 MB: 8 MB * sqrt(2).
TEST(CacheBytes, HalfwayByHand) {
  EXPECT_NEAR(cache_bytes({{4e6, 10e-6}, {8e6, 11e-6}, {16e6, 13e-6}, {32e6, 14e-6}}), 11.3137e6, 1e2);
}

TEST(CacheBytes, NoneWhereNothingIsFelt) {
  EXPECT_EQ(cache_bytes({{4e6, 10e-6}, {8e6, 10.1e-6}, {16e6, 10.4e-6}}), 0);
  EXPECT_EQ(cache_bytes({{4e6, 10e-6}}), 0);
  EXPECT_EQ(cache_bytes({}), 0);
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
  for (const double factor : found.factors) {
    EXPECT_GT(factor, 0);
    EXPECT_LE(factor, 1);
  }
}

}  // namespace
}  // namespace foretile::measure_cache_test
