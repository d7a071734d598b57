// SPDX-License-Identifier: BSD-3-Clause
#include "base/threads.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace foretile::threads_test {
namespace {

/// The affinity mask, not the machine, says how many cores there are.
TEST(Threads, CountsTheCoresOfTheMask) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    CPU_SET(cpu, &one);
    break;
  }
  EXPECT_EQ(usable_cores(), CPU_COUNT(&before));
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1);
  ::sched_setaffinity(0, sizeof before, &before);
}

TEST(Threads, Run) {
  std::atomic<int> value = 0;
  start_thread([&] { value = 3; }).join();
  EXPECT_EQ(value, 3);
}

/// They meet, so all are there.
TEST(RunOnThreads, RunsAllAtOnce) {
  std::barrier together(3);
  std::atomic<int> sum = 0;
  run_on_threads(3, [&](int number) {
    together.arrive_and_wait();
    sum += 1 + number;
  });
  EXPECT_EQ(sum, 6);
}

/// The system starts two of these.
class FewThreads {
 public:
  template <class Run>
  explicit FewThreads(Run&& run) {
    if (started == 2) throw std::system_error(EAGAIN, std::generic_category());
    ++started;
    thread_ = std::jthread(std::forward<Run>(run));
  }
  static int started;

 private:
  std::jthread thread_;
};
int FewThreads::started = 0;

/// Those that are there would wait for the others.
TEST(RunOnThreads, RunsNoneWhereOneIsMissing) {
  std::barrier together(5);
  std::atomic<int> calls = 0;
  EXPECT_THROW(run_on_threads<FewThreads>(5,
                                          [&](int) {
                                            ++calls;
                                            together.arrive_and_wait();
                                          }),
               WorkError);
  EXPECT_EQ(FewThreads::started, 2);
  EXPECT_EQ(calls, 0);
}

/// A child whose address space has no room for a thread's stack, 8 MiB most often.
TEST(Threads, SayWhichLimitsThereAre) {
#ifdef FORETILE_SANITIZED
  GTEST_SKIP() << "the sanitizers need address space";
#else
  const pid_t child = ::fork();
  if (child == 0) {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (1 << 20);
    const rlimit little{most, most};
    ::setrlimit(RLIMIT_AS, &little);
    // The C library keeps stacks of threads that ended: the first threads may have these.
    std::vector<std::jthread> threads;
    try {
      for (int n = 0; n < 100; ++n) threads.push_back(start_thread([] { ::pause(); }));
      ::_exit(3);
    } catch (const WorkError& error) {
      const std::string said = error.what();
      const bool good = said.find("a thread cannot be started") == 0 &&
                        said.find(fmt::format("{} kB", most / 1024)) != std::string::npos;
      ::_exit(good ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
#endif
}

}  // namespace
}  // namespace foretile::threads_test
