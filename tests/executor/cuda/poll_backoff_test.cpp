// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/poll_backoff.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace foretile::poll_backoff_test {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration pause_takes(PollBackoff& backoff, double seconds) {
  const Clock::time_point start = Clock::now();
  backoff.pause(seconds);
  return Clock::now() - start;
}

void grow_old(PollBackoff& backoff) {
  const Clock::time_point start = Clock::now();
  backoff.pause(1);
  while (Clock::now() - start < 2 * PollBackoff::kYoung) {
  }
}

/// Best of many: the machine may be busy, but never too fast.
template <typename Prepare>
Clock::duration shortest_pause(double seconds, Prepare prepare) {
  PollBackoff backoff;
  Clock::duration shortest = std::chrono::hours(1);
  for (int turn = 0; turn < 50; ++turn) {
    prepare(backoff);
    shortest = std::min(shortest, pause_takes(backoff, seconds));
  }
  return shortest;
}

TEST(PollBackoff, SleepsOnlyWhenTheLastPointIsOld) {
  EXPECT_GE(shortest_pause(3600, grow_old), PollBackoff::kSleep);
  const auto reach_a_point = [](PollBackoff& backoff) {
    grow_old(backoff);
    backoff.point_reached();
  };
  EXPECT_GE(shortest_pause(3600, reach_a_point), PollBackoff::kShort);
}

}  // namespace
}  // namespace foretile::poll_backoff_test
