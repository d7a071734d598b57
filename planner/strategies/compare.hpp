// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which of the strategies that a problem allows takes least, with the way to their distribution.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/plan_context.hpp"
#include "planner/strategies/redistribution_cost.hpp"
#include "planner/verify/verify.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// How long a proven plan takes, or infinity, once it is known to take longer than `stop_s`. Throws
/// InputError where that is not known.
using PlanSeconds = std::function<double(const Plan& plan, const PlanSummary& summary, double stop_s)>;

/// One strategy in a comparison.
struct ComparedStrategy {
  std::string strategy;   ///< its name
  Settings variant = {};  ///< what it was planned with beside the settings given: one of Strategy::variants()
  double bound_s = 0;     ///< of its plan
  /// With PlanSeconds; infinite where it was stopped, since another is as fast or faster.
  std::optional<double> plan_s = {};
  double stopped_s = 0;                                   ///< it takes longer than that; 0: not known
  std::optional<RedistributionCost> redistribution = {};  ///< where the settings say where the matrices are
  std::string refusal = {};                               ///< why it has no plan; then nothing else counts
  std::exception_ptr error = {};                          ///< that said so

  /// Seconds of the plan, or its bound, with redistribution.
  double seconds() const { return plan_s.value_or(bound_s) + (redistribution ? redistribution->seconds : 0); }
  /// What it takes at least: of those whose seconds were not asked for, too.
  double least_s() const;
};

/// What may be spent on a comparison that was not asked for, counted, so that it decides the same everywhere.
struct ComparisonLimits {
  std::int64_t products = 10'000'000;  ///< of the problem; of more the first strategy is taken: seconds
  int ranks = 1000;                    ///< of the machine; the same
  /// Tiles loaded and received in a simulation; of more bounds decide where they are clear, else the first
  /// strategy is taken.
  double loads = 2e6;
  /// None is compared with the first strategy where it takes at most so many times the bound of any plan:
  /// predictions hardly tell more.
  double near_bound = 1.1;
};

/// All strategies and the plan of the fastest.
struct Comparison {
  std::vector<ComparedStrategy> strategies;  ///< all that were compared, in their order
  /// The one that takes least, of equal ones the first; its plan, proven. Null: all refuse.
  const ComparedStrategy* fastest() const;
  std::optional<Plan> plan = {};  ///< of the fastest; nothing where all refuse
  PlanSummary summary = {};       ///< of that plan
  /// Of the plan, where no other strategy was planned because of it: what any plan takes at least. 0: not so.
  double any_plan_s = 0;
  std::string not_simulated = {};  ///< why bounds decide although there is a simulator
};

/// Plans with each strategy that honours the sources, and proves those that matter, in their order. Settings
/// distribution.a, distribution.b and distribution.c (distribution_setting.hpp; contiguous where one of them
/// is missing) say where the matrices are, with `grid` for those that are distributed cyclically. Strategies
/// that do not know these keys have their own distribution and are charged with redistributing the matrices;
/// those that do not know another of the settings refuse. With `plan_seconds`, asks for the seconds of plans
/// by increasing bound until no other can be faster; where they are not known, the bounds alone are there.
/// `limits`: of a comparison that was not asked for. Strategies are planned on as many threads as there are
/// cores; nothing depends on that.
Comparison compare_strategies(const Contraction& contraction, const Machine& machine,
                              const Settings& settings, const PlanSeconds& plan_seconds = {},
                              const PlanContext& context = {},
                              const std::optional<ComparisonLimits>& limits = {});

/// What the fastest is to be planned with. Throws InputError where none has a plan, with the refusal of the
/// strategy that knows most of the settings, and for sources that none honours.
Settings fastest_settings(const std::vector<ComparedStrategy>& compared, const Contraction& contraction,
                          const Settings& settings);

/// One line: "local-b: 4.16 s by a coarse simulation; stationary-b at least 18.2 s". Those that refuse are
/// left out.
std::string comparison_text(const Comparison& comparison);

/// Whether the settings ask for a comparison: strategy=auto.
bool asks_for_comparison(const Settings& settings);

/// Whether there is nothing to compare: a strategy is named, or one alone honours the sources and knows all
/// settings, and has no variants.
bool leaves_no_choice(const Contraction& contraction, const Settings& settings);

}  // namespace foretile
