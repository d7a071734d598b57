#include "executor/measure.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <thread>

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

}  // namespace

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  Summary summary;
  summary.median = median_of(values);
  for (double& value : values) value = std::abs(value - summary.median);
  summary.spread = 1.4826 * median_of(values);
  return summary;
}

std::vector<double> time_on_all_cores(const Repetition& repetition,
                                      const std::function<void(int core, int repetition)>& work) {
  std::barrier together(repetition.cores);
  std::atomic<int> unfinished = repetition.cores;
  std::vector<std::vector<double>> times(static_cast<std::size_t>(repetition.cores));

  const auto run = [&](int core) {
    std::vector<double>& mine = times[static_cast<std::size_t>(core)];
    work(core, 0);
    together.arrive_and_wait();
    const Clock::time_point start = Clock::now();
    bool counted = false;
    for (int i = 1; unfinished.load(std::memory_order_relaxed) > 0; ++i) {
      const Clock::time_point before = Clock::now();
      work(core, i);
      mine.push_back(since(before));
      if (!counted && i >= repetition.at_least && since(start) >= repetition.seconds) {
        counted = true;
        unfinished.fetch_sub(1);
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (int core = 1; core < repetition.cores; ++core) others.emplace_back(run, core);
    run(0);
  }
  std::vector<double> all;
  for (const auto& mine : times) all.insert(all.end(), mine.begin(), mine.end());
  return all;
}

}  // namespace foretile
