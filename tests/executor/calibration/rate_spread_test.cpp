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

/// Cores at 10 and 5, on the average: the second has half of the first's rate. Divided by it, the probes are
/// 10 12 and 10 8: means of 11 and 9 around 10, and (0.1^2 + 0.1^2) / 1.
TEST(RateSpread, OfCoresOfTwoKindsIsWithoutTheirMeanRates) {
  const std::vector<std::vector<double>> probes{{10, 6}, {10, 4}};
  const std::vector<double> speeds = core_speeds(probes);
  EXPECT_EQ(speeds, (std::vector<double>{1, 0.5}));
  const RateSpread spread = rate_spread(probes, 1, speeds);
  EXPECT_NEAR(spread.node, std::sqrt(0.02), 1e-12);
  EXPECT_NEAR(spread.device, std::sqrt((2.0 / 121 + 2.0 / 81) / 2), 1e-12);
}

TEST(CoreSpeeds, AreNotKeptWhereCoresAreAlike) {
  EXPECT_TRUE(core_speeds({}).empty());
  EXPECT_TRUE(core_speeds({{10, 8}, {10, 10}}).empty());  // 10 and 9
  EXPECT_EQ(core_speeds({{10, 7}, {10, 9}}), (std::vector<double>{1, 0.8}));
}

}  // namespace
}  // namespace foretile::rate_spread_test
