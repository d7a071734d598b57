// SPDX-License-Identifier: BSD-3-Clause
// foretile simulate --seeds: the times of one plan on machines that differ by their noise.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/quantile.hpp"
#include "planner/plan_work.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

/// With fewer values the 5th percentile below is outside them.
inline constexpr int kFewestSeeds = 19;
inline constexpr int kMostSeeds = 10'000;

/// Makespans of the seeds `first`, `first` + 1, ...
struct SeedTimes {
  std::uint64_t first = 1;
  std::vector<double> makespan_s;

  double median_s() const { return quantile(makespan_s, 0.5); }
  double low_s() const { return quantile(makespan_s, 0.05); }
  double high_s() const { return quantile(makespan_s, 0.95); }
};

/// Throws InputError where the platform has no noise, so that all seeds give the same time.
void require_noise(const Platform& platform);

/// Simulates the work with `count` seeds from options.noise_seed on, several at a time in processes of their
/// own. Call it before any simulation in this process. A trace is not used. Throws WorkError where one fails.
SeedTimes simulate_seeds(const PlannedWork& work, const SimulationOptions& options, int count,
                         ProgressLine& line);

/// One line.
std::string seeds_text(const SeedTimes& times);
nlohmann::ordered_json seeds_json(const SeedTimes& times);

}  // namespace foretile
