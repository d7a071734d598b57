// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

namespace foretile::measure_test {
namespace {

TEST(Summarize, IsUnmovedByAnOutlier) {
  // Median of 1 2 3 4 100 is 3; distances 2 1 0 1 97 have the median 1.
  const Summary s = summarize({4, 100, 1, 3, 2});
  EXPECT_DOUBLE_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.spread, 1.4826);
  EXPECT_EQ(summarize({}).median, 0);
}

/// 2 s at full speed are 4 s at half of it. At a rate of 8 the times would be 2.5, 2.5 and 3.75 s.
TEST(MedianAtRate, TakesOutHowFastTheMachineWas) {
  EXPECT_DOUBLE_EQ(median_at_rate({2, 4, 3}, {10, 5, 10}, 8), 2.5);
  EXPECT_DOUBLE_EQ(median_at_rate({2, 4}, {10, 5}, 10), 2);
  EXPECT_EQ(median_at_rate({}, {}, 10), 0);
}

TEST(TimeOnAllCores, EveryCoreRepeatsAndWarmUpIsNotCounted) {
  std::array<std::atomic<int>, 3> calls{};
  const Timing times =
      time_on_all_cores({3, 0, 4}, [&](int core, int) { ++calls.at(static_cast<std::size_t>(core)); });
  int all = 0;
  for (const auto& c : calls) {
    EXPECT_GE(c, 1);
    all += c;
  }
  EXPECT_GE(all, 3 * 4 + 3);
  EXPECT_EQ(times.seconds.size(), static_cast<std::size_t>(all - 3));
  for (const double seconds : times.seconds) EXPECT_GT(seconds, 0);
}

}  // namespace
}  // namespace foretile::measure_test
