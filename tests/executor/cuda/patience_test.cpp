#include "executor/cuda/patience.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace foretile {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration pause_takes(Patience& patience, double seconds) {
  const Clock::time_point start = Clock::now();
  patience.pause(seconds);
  return Clock::now() - start;
}

void lose_patience(Patience& patience) {
  const Clock::time_point start = Clock::now();
  patience.pause(1);
  while (Clock::now() - start < 2 * Patience::kYoung) {
  }
}

/// Best of many: the machine may be busy, but never too fast.
template <typename Prepare>
Clock::duration shortest_pause(double seconds, Prepare prepare) {
  Patience patience;
  Clock::duration shortest = std::chrono::hours(1);
  for (int turn = 0; turn < 50; ++turn) {
    prepare(patience);
    shortest = std::min(shortest, pause_takes(patience, seconds));
  }
  return shortest;
}

TEST(Patience, SleepsOnlyWhenNewsIsOld) {
  EXPECT_GE(shortest_pause(3600, lose_patience), Patience::kSleep);
  const auto hears = [](Patience& patience) {
    lose_patience(patience);
    patience.news();
  };
  EXPECT_GE(shortest_pause(3600, hears), Patience::kShort);
}

}  // namespace
}  // namespace foretile
