// SPDX-License-Identifier: BSD-3-Clause
// Which of the strategies that a problem allows takes least, with the way to their distribution.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/deal_anew.hpp"
#include "planner/strategies/plan_context.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// How long a plan takes, or infinity, once it is known to take longer than `stop_s`. Throws InputError where
/// that cannot be told.
using PlanSeconds = std::function<double(const Plan& plan, double stop_s)>;

struct ComparedStrategy {
  std::string strategy;
  Settings variant = {};  ///< what it was planned with beside the settings given: one of Strategy::variants()
  double bound_s = 0;     ///< of its plan
  /// With PlanSeconds; infinite where another is as fast or faster.
  std::optional<double> plan_s = {};
  double stopped_s = 0;                 ///< it takes longer than that; 0: not known
  std::optional<DealtAnew> dealt = {};  ///< where the settings say where the matrices lie
  std::string refusal = {};             ///< why it has no plan; then nothing else counts
  std::exception_ptr error = {};        ///< that said so

  double seconds() const { return plan_s.value_or(bound_s) + (dealt ? dealt->seconds : 0); }
};

/// Plans and proves with each strategy that honours the sources, in their order. Settings deal.a, deal.b and
/// deal.c (deal_setting.hpp; contiguous where one of them is missing) say where the matrices lie, with `grid`
/// for those that are dealt cyclically. Strategies that do not know these keys have their own distribution
/// and are charged with dealing the matrices anew. With `plan_seconds`, asks for the seconds of plans by
/// increasing bound until no other can be faster; where they cannot be told, the bounds alone are there.
std::vector<ComparedStrategy> compare_strategies(const Contraction& contraction, const Machine& machine,
                                                 const Settings& settings,
                                                 const PlanSeconds& plan_seconds = {},
                                                 const PlanContext& context = {});

/// The fastest of them, of equal ones the first, and what it is to plan with. Throws InputError where none
/// has a plan, with the refusal of the strategy that knows most of the settings, and for sources that none
/// honours.
Settings fastest_settings(const std::vector<ComparedStrategy>& compared, const Contraction& contraction,
                          const Settings& settings);

/// Whether the settings ask for a comparison: strategy=auto.
bool asks_for_comparison(const Settings& settings);

}  // namespace foretile
