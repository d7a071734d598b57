#include "executor/measure.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <thread>

namespace foretile {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Processor time of this thread.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What lies between two readings with nothing between them.
double cost_of_clock() {
  std::vector<double> gaps;
  for (int i = 0; i < 101; ++i) {
    const double before = cpu_seconds();
    gaps.push_back(cpu_seconds() - before);
  }
  return median_of(gaps);
}

struct ThreadTimes {
  std::vector<double> repetitions;
  double cpu = 0;
  double elapsed = 0;
};

Timing together_of(const std::vector<ThreadTimes>& threads) {
  Timing timing;
  double cpu = 0, elapsed = 0;
  for (const ThreadTimes& thread : threads) {
    timing.seconds.insert(timing.seconds.end(), thread.repetitions.begin(), thread.repetitions.end());
    cpu += thread.cpu;
    elapsed += thread.elapsed;
  }
  if (elapsed > 0) timing.core_share = cpu / elapsed;
  return timing;
}

}  // namespace

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  Summary summary;
  summary.median = median_of(values);
  for (double& value : values) value = std::abs(value - summary.median);
  summary.spread = 1.4826 * median_of(values);
  return summary;
}

Timing time_on_all_cores(const Repetition& repetition,
                         const std::function<void(int core, int repetition)>& work) {
  const double clock_cost = cost_of_clock();
  std::barrier together(repetition.cores);
  std::atomic<int> unfinished = repetition.cores;
  std::vector<ThreadTimes> threads(static_cast<std::size_t>(repetition.cores));

  const auto run = [&](int core) {
    ThreadTimes& mine = threads[static_cast<std::size_t>(core)];
    work(core, 0);
    together.arrive_and_wait();
    const Clock::time_point start = Clock::now();
    const double cpu_start = cpu_seconds();
    bool counted = false;
    for (int i = 1; unfinished.load(std::memory_order_relaxed) > 0; ++i) {
      const double before = cpu_seconds();
      work(core, i);
      mine.repetitions.push_back(std::max(cpu_seconds() - before - clock_cost, 1e-9));
      if (!counted && i >= repetition.at_least && since(start) >= repetition.seconds) {
        counted = true;
        unfinished.fetch_sub(1);
      }
    }
    mine.cpu = cpu_seconds() - cpu_start;
    mine.elapsed = since(start);
  };
  {
    std::vector<std::jthread> others;
    for (int core = 1; core < repetition.cores; ++core) others.emplace_back(run, core);
    run(0);
  }
  return together_of(threads);
}

}  // namespace foretile
