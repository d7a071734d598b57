// Timing work that runs on several cores at once.
#pragma once

#include <functional>
#include <vector>

namespace foretile {

/// Median, and the spread around it as 1.4826 times the median distance from it: the standard deviation for
/// normally distributed values, unmoved by a few outliers.
struct Summary {
  double median = 0;
  double spread = 0;
};

Summary summarize(std::vector<double> values);

/// How long work is repeated.
struct Repetition {
  int cores = 1;
  double seconds = 0.02;  ///< at least, per core
  int at_least = 3;       ///< repetitions per core, whatever the time
};

/// Runs `work(core, repetition)` again and again on `cores` threads that start together, one unmeasured
/// repetition first. Each thread goes on until all have enough, so that every timed repetition runs beside
/// busy neighbours. Returns the duration of each repetition, all threads together, in seconds.
std::vector<double> time_on_all_cores(const Repetition& repetition,
                                      const std::function<void(int core, int repetition)>& work);

}  // namespace foretile
