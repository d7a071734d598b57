// SPDX-License-Identifier: BSD-3-Clause
// foretile simulate --what-if: what each resource is worth, measured by planning and simulating again.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "scheduler/report/report.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

/// Makespan of the machine with these settings, "platform.KEY=VALUE", or unchanged; in full, or coarse.
using ChangedSeconds = std::function<double(const std::vector<std::string>& settings, bool in_full)>;

/// Plans and simulates the case, coarse, and once more for each of improvements() and joint_improvements(),
/// several at a time in processes of their own. The unchanged machine and the best rows are then simulated in
/// full: three, and more as long as a row's coarse saving and the largest difference seen between coarse and
/// full could beat the best, ten at most. Call it before any simulation in this process. `options` give seed
/// and plan order; trace and groups are not used. Throws WorkError when the unchanged machine cannot be
/// simulated.
WhatIf what_if(const Case& the_case, const PlannedWork& work, const SimulationOptions& options,
               ProgressLine& line);

/// The same for whatever has a makespan. `more_devices`: as of improvements().
WhatIf what_if(const Machine& machine, bool more_devices, const ChangedSeconds& seconds, ProgressLine& line);

/// Whether the plan does at all what the figure is about.
bool may_count(const std::string& key, const PlannedWork& work);

/// Seconds of the case on this platform instead of its own, planned again as --set would do it: the strategy
/// chooses again what is not given. In full, or coarse. Throws what plan_work() and simulate() throw.
double makespan_on(Platform platform, const Case& the_case, const PlannedWork& work,
                   const SimulationOptions& options, bool in_full);

/// The same of the plan as it is, which must fit the platform.
double makespan_of_plan(Platform platform, const PlannedWork& work, SimulationOptions options, bool in_full);

/// Plans with more are simulated coarsely, or not at all, to find out which guesses decide: that is to take
/// seconds.
inline constexpr std::int64_t kMostProductsInFull = 200'000;
inline constexpr std::int64_t kMostProductsForGuesses = 1'000'000;

/// A figure that was not measured, and what it decides.
struct DecidingGuess {
  std::string figure;  ///< "generation.rate"
  std::string value;   ///< "1 GB/s"
  std::string set;     ///< --set expressions of the machine that is twice as good
  double makespan_s = 0;
  double saved_s = 0;   ///< against the unchanged machine simulated in the same way
  bool in_full = true;  ///< else both times are coarse
};

/// Nothing: not determined.
using Guesses = std::optional<std::vector<DecidingGuess>>;

/// The guesses of the case's platform that change the time by more than 5% when they are twice as good,
/// planned again, most first. Simulates as what_if(): call it before any simulation in this process; large
/// plans coarse, and more than kMostProductsForGuesses not at all. Does not throw: nothing where it cannot be
/// done, and where `stop` says so before the end.
Guesses deciding_guesses(const Case& the_case, const PlannedWork& work, const SimulationOptions& options,
                         ProgressLine& line, const std::function<bool()>& stop = {});

/// The same for whatever has a makespan, of `guesses`, which are keys of the machine's platform. `products`
/// say whether it is simulated in full.
Guesses deciding_guesses(const Machine& machine, const std::vector<std::string>& guesses,
                         std::int64_t products, const ChangedSeconds& seconds, ProgressLine& line,
                         const std::function<bool()>& stop = {});

/// A line for each; empty without any.
std::string guesses_text(const Guesses& guesses);
/// A list; null where it was not determined.
nlohmann::ordered_json guesses_json(const Guesses& guesses);

/// Both baselines, a table, best first, and what was not feasible.
std::string what_if_text(const WhatIf& what_if);

}  // namespace foretile
