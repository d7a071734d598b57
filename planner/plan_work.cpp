// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan_work.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "planner/problem/estimate.hpp"
#include "planner/strategies/steady_blocks.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

/// Verification takes about twice as long as planning.
constexpr std::int64_t kVerifiesFrom = kPlanningSteps / 3;

/// Tells `done` of `all` as planning's steps from `first` to `last`.
CountFunction steps(const CountFunction& progress, std::int64_t first, std::int64_t last, std::int64_t all) {
  if (!progress || all <= 0) return {};
  return [&progress, first, last, all](std::int64_t done) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
    progress(first + static_cast<std::int64_t>(share * static_cast<double>(last - first)));
  };
}

}  // namespace

PlannedWork plan_work(Contraction contraction, Machine machine, const Settings& settings,
                      const CountFunction& progress, const WorkSeconds& work_seconds,
                      const PlanContext& context) {
  std::vector<ComparedStrategy> compared;
  if (asks_for_comparison(settings)) {
    PlanSeconds plan_seconds;
    if (work_seconds)
      plan_seconds = [&](const Plan& plan, double stop_s) {
        return work_seconds(plan, contraction, machine, stop_s);
      };
    compared = compare_strategies(contraction, machine, settings, plan_seconds, context);
  }
  Plan plan = make_plan(contraction, machine,
                        compared.empty() ? settings : fastest_settings(compared, contraction, settings),
                        steps(progress, 0, kVerifiesFrom, machine.ranks), context);
  const PlanSummary summary =
      verify(plan, contraction,
             steps(progress, kVerifiesFrom, kPlanningSteps, product_bound(contraction.a, contraction.b)));
  return {std::move(contraction), std::move(machine), std::move(plan), summary, std::move(compared)};
}

PlannedWork with_steady_blocks(PlannedWork planned) {
  const auto settings = steady_settings(planned.contraction, planned.machine, planned.plan);
  if (!settings) return planned;
  try {
    return plan_work(planned.contraction, planned.machine, *settings);
  } catch (const InputError&) {  // they do not fit
    return planned;
  }
}

}  // namespace foretile
