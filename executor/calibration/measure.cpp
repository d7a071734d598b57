// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/threads.hpp"
#include "executor/cpu/binding.hpp"
#include "executor/cpu/thread_seconds.hpp"

namespace foretile {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What is between two readings with nothing between them.
double cost_of_clock() {
  std::vector<double> gaps;
  for (int i = 0; i < 101; ++i) {
    const Clock::time_point before = Clock::now();
    gaps.push_back(since(before));
  }
  return median_of(gaps);
}

/// Keeps the calling thread on one of the cores, so that no two threads begin on the same one; back to all of
/// them at the end. Fewer threads than cores are left to the system, which knows what other processes do.
class OnOneCore {
 public:
  OnOneCore(const std::vector<int>& cpus, int threads, int core)
      : cpus_(cpus), active_(threads > 1 && std::ssize(cpus) == threads) {
    if (active_) bind_thread({&cpus.at(static_cast<std::size_t>(core)), 1});
  }
  ~OnOneCore() {
    if (active_) bind_thread(cpus_);
  }
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  const std::vector<int>& cpus_;
  bool active_;
};

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
    timing.per_s.push_back(
        thread.elapsed > 0 ? static_cast<double>(thread.repetitions.size()) / thread.elapsed : 0);
  }
  timing.elapsed_s = elapsed;
  if (elapsed > 0) timing.core_share = cpu / elapsed;
  return timing;
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  Summary summary;
  summary.median = median_of(values);
  for (double& value : values) value = std::abs(value - summary.median);
  summary.spread = 1.4826 * median_of(values);
  return summary;
}

double median_at_rate(std::vector<double> seconds, const std::vector<double>& rates, double rate) {
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] *= rates.at(i) / rate;
  return summarize(std::move(seconds)).median;
}

Timing time_on_all_cores(const Repetition& repetition,
                         const std::function<void(int core, int repetition)>& work) {
  const double clock_cost = cost_of_clock();
  std::barrier together(repetition.cores);
  std::atomic<int> unfinished = repetition.cores;
  std::vector<ThreadTimes> threads(static_cast<std::size_t>(repetition.cores));

  const std::vector<int> cpus = allowed_cpus();
  const auto run = [&](int core) {
    const OnOneCore here(cpus, repetition.cores, core);
    ThreadTimes& mine = threads[static_cast<std::size_t>(core)];
    work(core, 0);
    together.arrive_and_wait();
    const Clock::time_point start = Clock::now();
    const double cpu_start = thread_seconds();
    bool counted = false;
    for (int i = 1; unfinished.load(std::memory_order_relaxed) > 0; ++i) {
      const Clock::time_point before = Clock::now();
      work(core, i);
      mine.repetitions.push_back(std::max(since(before) - clock_cost, 1e-9));
      if (!counted && i >= repetition.at_least && since(start) >= repetition.seconds) {
        counted = true;
        unfinished.fetch_sub(1);
      }
    }
    mine.cpu = thread_seconds() - cpu_start;
    mine.elapsed = since(start);
  };
  run_on_threads(repetition.cores, run);
  return together_of(threads);
}

}  // namespace foretile
