// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretile::noise_test {
namespace {

/// Mean and deviation of 10,000 factors: within four standard errors, 0.2 / 100 and 0.2 / sqrt(2 10,000).
TEST(Noise, LastingFactorsSpreadAroundOne) {
  constexpr int kFactors = 10'000;
  double sum = 0, squares = 0;
  for (std::uint64_t number = 0; number < kFactors; ++number) {
    const double factor = lasting_factor(0.2, 7, Noisy::link, number);
    sum += factor;
    squares += (factor - 1) * (factor - 1);
  }
  EXPECT_NEAR(sum / kFactors, 1, 4 * 0.002);
  EXPECT_NEAR(std::sqrt(squares / kFactors), 0.2, 4 * 0.0015);
}

TEST(Noise, AFactorDependsOnSeedKindAndNumberAlone) {
  const double one = lasting_factor(0.2, 7, Noisy::node, 3);
  EXPECT_EQ(one, lasting_factor(0.2, 7, Noisy::node, 3));
  EXPECT_NE(one, lasting_factor(0.2, 8, Noisy::node, 3));
  EXPECT_NE(one, lasting_factor(0.2, 7, Noisy::device, 3));
  EXPECT_NE(one, lasting_factor(0.2, 7, Noisy::node, 4));
  EXPECT_EQ(lasting_factor(0, 7, Noisy::node, 3), 1);
}

}  // namespace
}  // namespace foretile::noise_test
