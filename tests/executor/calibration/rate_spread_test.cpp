// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/rate_spread.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretile::rate_spread_test {
namespace {

/// Both cores at 10, then at 12: a mean of 11, and deviations of 1/11 each, so (1 + 1) / 121 / (2 - 1).
TEST(RateSpread, OfTheNodeIsThatOfAllCoresInTime) {
  const RateSpread spread = rate_spread({{10, 10}, {12, 12}}, 1);
  EXPECT_DOUBLE_EQ(spread.node, std::sqrt(2.0) / 11);
  EXPECT_EQ(spread.device, 0);
}

/// Always 11 and 9, around 10: (0.01 + 0.01) in each of two windows, over 2 (2 - 1).
TEST(RateSpread, OfADeviceIsThatAmongCores) {
  const RateSpread spread = rate_spread({{11, 9}, {9, 11}}, 1);
  EXPECT_EQ(spread.node, 0);
  EXPECT_DOUBLE_EQ(spread.device, std::sqrt(0.02));
}

/// What changes within a window is averaged: 9 and 11 give 10, 10 and 14 give 12. The last probe is left
/// over.
TEST(RateSpread, IsOfWindows) {
  const RateSpread spread = rate_spread({{9}, {11}, {10}, {14}, {100}}, 2);
  EXPECT_DOUBLE_EQ(spread.node, std::sqrt(2.0) / 11);
  EXPECT_EQ(spread.device, 0);
}

TEST(RateSpread, OfTooLittleIsZero) {
  EXPECT_EQ(rate_spread({}, 1).node, 0);
  EXPECT_EQ(rate_spread({{1, 2}, {2, 1}}, 2).device, 0);
}

}  // namespace
}  // namespace foretile::rate_spread_test
