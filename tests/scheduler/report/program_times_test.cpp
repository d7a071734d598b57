// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/program_times.hpp"

#include <gtest/gtest.h>

namespace foretile::program_times_test {
namespace {

/// Two ranks, the first with two devices that multiply for 1 and 3 s, the second without any.
TEST(ProgramTimes, AreMeansOverRanksAndDevices) {
  std::vector<RankStatistics> ranks(2);
  ranks[0].devices.resize(2);
  ranks[0].devices[0].kernel_s = 1;
  ranks[0].devices[1].kernel_s = 3;
  ranks[0].combine_s = 0.5;
  ranks[1].combine_s = 1.5;
  ranks[0].send_s = 4;
  ranks[0].step_ends_s = {1, 5};
  ranks[1].step_ends_s = {2, 3};
  const ProgramTimes times = program_times(ranks);
  EXPECT_DOUBLE_EQ(times.products_s, 1);
  EXPECT_DOUBLE_EQ(times.tasks_s, 1);
  EXPECT_DOUBLE_EQ(times.send_s, 2);
  EXPECT_EQ(times.step_ends_s, (std::vector<double>{2, 5}));
}

}  // namespace
}  // namespace foretile::program_times_test
