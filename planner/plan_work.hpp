// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The one way from a contraction to a verified plan.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/settings.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/compare.hpp"
#include "planner/strategies/plan_context.hpp"
#include "planner/verify/verify.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// A verified plan and all that it refers to.
struct PlannedWork {
  Contraction contraction;                      ///< as it is planned
  Machine machine;                              ///< for which it is planned
  Plan plan;                                    ///< proven by verify()
  PlanSummary summary;                          ///< what the proof counted
  std::vector<ComparedStrategy> compared = {};  ///< where the settings asked for that, or named no strategy
  /// Why the strategy is what it is, where no one named it: comparison_text(), or why none were compared.
  std::string decision = {};
};

/// What plan_work() tells of its progress: how many of these steps are done.
inline constexpr std::int64_t kPlanningSteps = 10'000;

/// How long a proven plan takes on a machine, or infinity, once it is known to take longer than `stop_s`.
using WorkSeconds =
    std::function<double(const Plan& plan, const PlanSummary& summary, const Contraction& contraction,
                         const Machine& machine, double stop_s)>;

/// Plans every rank, verifies. With strategy=auto, the strategies that honour the sources are compared
/// (strategies/compare.hpp) by `work_seconds`, or without it by the bounds of their plans. Without a strategy
/// among the settings it is choose_strategy()'s. Throws InputError.
PlannedWork plan_work(Contraction contraction, Machine machine, const Settings& settings,
                      const CountFunction& progress = {}, const WorkSeconds& work_seconds = {},
                      const PlanContext& context = {});

/// The same for people: where the settings name no strategy, they are compared as for strategy=auto, as far
/// as `limits` go. Beyond them it is choose_strategy()'s. Both are decided here alone.
PlannedWork plan_fastest(Contraction contraction, Machine machine, const Settings& settings,
                         const CountFunction& progress = {}, const WorkSeconds& work_seconds = {},
                         const ComparisonLimits& limits = {});

/// Whether plan_fastest() compares strategies.
bool compares_strategies(const Contraction& contraction, const Machine& machine, const Settings& settings,
                         const ComparisonLimits& limits = {});

/// What makes this plan again, without a comparison: every parameter, and "strategy".
Settings settings_of(const PlanFrame& frame);

/// For runs that keep finished tiles: planned by steady_settings() (strategies/steady_blocks.hpp), where
/// there are some and they fit; else `planned`.
PlannedWork with_steady_blocks(PlannedWork planned);

}  // namespace foretile
