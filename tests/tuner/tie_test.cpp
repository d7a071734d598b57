// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/tie.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace foretile::tie_test {
namespace {

TEST(Tie, IsAtLeastTheErrorOfTheCalibration) {
  EXPECT_DOUBLE_EQ(tie_of(0), 0.05);
  EXPECT_DOUBLE_EQ(tie_of(0.02), 0.05);
  EXPECT_DOUBLE_EQ(tie_of(0.25), 0.25);
}

/// 100 s is the fastest; within 5% are 104 s and 105 s, but not 106 s.
TEST(Tie, TakesTheLeastEffortOfEqualTimes) {
  const std::vector<SimulatedTime> by_time{{100, 9}, {104, 5}, {105, 6}, {106, 1}};
  EXPECT_FALSE(better_than_defaults({}, {}, 0.05));
  EXPECT_EQ(better_than_defaults(by_time, {}, 0.05), 1U);
  EXPECT_EQ(better_than_defaults(by_time, {}, 0), 0U);
  EXPECT_FALSE(better_than_defaults(by_time, 105, 0.05));
  EXPECT_EQ(better_than_defaults(by_time, 106, 0.05), 0U);  // 104 s do not beat them by 5%
  EXPECT_EQ(better_than_defaults(by_time, 110, 0.05), 1U);
  EXPECT_EQ(better_than_defaults({{100}, {101}}, {}, 0.05), 0U);  // of unknown effort the fastest
}

}  // namespace
}  // namespace foretile::tie_test
