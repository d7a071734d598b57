// SPDX-License-Identifier: BSD-3-Clause
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

double mean_of(const std::vector<double>& values);

Summary summarize(std::vector<double> values);

/// The median of the times that work would take at `rate`: it took `seconds` while the machine worked at
/// `rates`.
double median_at_rate(std::vector<double> seconds, const std::vector<double>& rates, double rate);

/// How long work is repeated.
struct Repetition {
  int cores = 1;
  double seconds = 0.02;  ///< at least, per core
  int at_least = 3;       ///< repetitions per core, whatever the time
};

struct Timing {
  std::vector<double> seconds;  ///< of each repetition, all threads together: elapsed time
  double elapsed_s = 0;         ///< of all threads together, from their first to their last repetition
  std::vector<double> per_s;    ///< repetitions of each core in a second
  double core_share = 1;        ///< processor time over elapsed time; well below 1 where others use the cores
};

/// Runs `work(core, repetition)` again and again on `cores` threads that start together, one unmeasured
/// repetition first; as many threads as cores are kept to a core each. Each thread goes on until all have
/// enough, so that every timed repetition runs beside busy neighbours. What reading the clock costs is taken
/// off. `work` must not throw. Throws WorkError where the system does not start so many threads.
Timing time_on_all_cores(const Repetition& repetition,
                         const std::function<void(int core, int repetition)>& work);

}  // namespace foretile
