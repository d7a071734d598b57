// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

/// Without a comparison.
PlannedWork planned_by(Contraction contraction, Machine machine, const Settings& settings,
                       const CountFunction& progress, const PlanContext& context) {
  Plan plan =
      make_plan(contraction, machine, settings, steps(progress, 0, kVerifiesFrom, machine.ranks), context);
  const PlanSummary summary =
      verify(plan, contraction,
             steps(progress, kVerifiesFrom, kPlanningSteps, product_bound(contraction.a, contraction.b)));
  return {std::move(contraction), std::move(machine), std::move(plan), summary};
}

PlannedWork planned_by_comparison(Contraction contraction, Machine machine, const Settings& settings,
                                  const CountFunction& progress, const WorkSeconds& work_seconds,
                                  const PlanContext& context, const std::optional<ComparisonLimits>& limits) {
  PlanSeconds plan_seconds;
  if (work_seconds)
    plan_seconds = [&](const Plan& plan, const PlanSummary& summary, double stop_s) {
      return work_seconds(plan, summary, contraction, machine, stop_s);
    };
  Comparison found = compare_strategies(contraction, machine, settings, plan_seconds, context, limits);
  std::string decision = comparison_text(found);
  if (!found.plan) fastest_settings(found.strategies, contraction, settings);  // throws
  if (progress) progress(kPlanningSteps);
  return {std::move(contraction),   std::move(machine),          *std::move(found.plan),
          std::move(found.summary), std::move(found.strategies), std::move(decision)};
}

std::string not_compared(const std::string& strategy, std::int64_t products, int ranks) {
  return fmt::format(
      "{}: the first for these sources; with {:.2g} products on {} ranks none are compared, "
      "unless strategy=auto asks for it",
      strategy, static_cast<double>(products), ranks);
}

}  // namespace

PlannedWork plan_work(Contraction contraction, Machine machine, const Settings& settings,
                      const CountFunction& progress, const WorkSeconds& work_seconds,
                      const PlanContext& context) {
  if (!asks_for_comparison(settings))
    return planned_by(std::move(contraction), std::move(machine), settings, progress, context);
  return planned_by_comparison(std::move(contraction), std::move(machine), settings, progress, work_seconds,
                               context, {});
}

PlannedWork plan_fastest(Contraction contraction, Machine machine, const Settings& settings,
                         const CountFunction& progress, const WorkSeconds& work_seconds,
                         const ComparisonLimits& limits) {
  if (asks_for_comparison(settings) || leaves_no_choice(contraction, settings))
    return plan_work(std::move(contraction), std::move(machine), settings, progress, work_seconds);
  if (compares_strategies(contraction, machine, settings, limits))
    return planned_by_comparison(std::move(contraction), std::move(machine), settings, progress, work_seconds,
                                 {}, limits);
  PlannedWork work = planned_by(std::move(contraction), std::move(machine), settings, progress, {});
  const std::int64_t products = product_bound(work.contraction.a, work.contraction.b);
  work.decision = not_compared(work.plan.strategy, products, work.machine.ranks);
  return work;
}

bool compares_strategies(const Contraction& contraction, const Machine& machine, const Settings& settings,
                         const ComparisonLimits& limits) {
  if (asks_for_comparison(settings)) return true;
  return !leaves_no_choice(contraction, settings) && machine.ranks <= limits.ranks &&
         product_bound(contraction.a, contraction.b) <= limits.products;
}

Settings settings_of(const PlanFrame& frame) {
  Settings settings = frame.parameters;
  settings["strategy"] = frame.strategy;
  return settings;
}

PlannedWork with_steady_blocks(PlannedWork planned) {
  const auto settings = steady_settings(planned.contraction, planned.machine, planned.plan);
  if (!settings) return planned;
  try {
    PlannedWork steady = plan_work(planned.contraction, planned.machine, *settings);
    steady.compared = std::move(planned.compared);
    steady.decision = std::move(planned.decision);
    return steady;
  } catch (const InputError&) {  // they do not fit
    return planned;
  }
}

}  // namespace foretile
