// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>

#include "base/error.hpp"

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

/// From now on this process has room for two more stacks of threads.
void leave_room_for_two_threads() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  pthread_attr_t attributes;
  std::size_t stack = 0;
  ::pthread_getattr_default_np(&attributes);
  ::pthread_attr_getstacksize(&attributes, &stack);
  const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + 2 * stack + stack / 2;
  const rlimit little{most, most};
  ::setrlimit(RLIMIT_AS, &little);
}

/// A child with too little address space for all of its threads: those that are there do not wait for the
/// others. The C library keeps stacks of threads that ended, so a few more may start.
TEST(TimeOnAllCores, EndsWhereAThreadCannotBeStarted) {
#ifdef FORETILE_SANITIZED
  GTEST_SKIP() << "the sanitizers need address space";
#else
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    leave_room_for_two_threads();
    try {
      time_on_all_cores({30, 0, 1}, [](int, int) {});
    } catch (const WorkError&) {
      ::_exit(0);
    }
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
#endif
}

}  // namespace
}  // namespace foretile::measure_test
