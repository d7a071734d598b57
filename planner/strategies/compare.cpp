// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "planner/strategies/deal_setting.hpp"
#include "planner/strategies/grid_text.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"

namespace foretile {

namespace {

constexpr std::array kDeals{"deal.a", "deal.b", "deal.c"};

bool says_where_matrices_lie(const Settings& settings) {
  return std::ranges::any_of(kDeals, [&](const char* key) { return settings.contains(key); });
}

ProcessGrid home_grid(const Machine& machine, const Settings& settings) {
  const auto given = settings.find("grid");
  if (given == settings.end() || given->second == kAuto) return {1, machine.ranks, 1};
  const AlongAxes numbers = parse_grid("grid", given->second);
  const ProcessGrid grid{numbers[Axis::p], numbers[Axis::q], numbers[Axis::r]};
  if (std::int64_t{grid.p} * grid.q * grid.r != machine.ranks)
    throw input_error("grid", given->second,
                      fmt::format("numbers whose product is {}, the ranks", machine.ranks));
  return grid;
}

std::optional<Home> home_setting(const Contraction& p, const Machine& machine, const Settings& settings) {
  if (!says_where_matrices_lie(settings)) return std::nullopt;
  const auto deal = [&](Matrix matrix) {
    const char* const key = kDeals.at(static_cast<std::size_t>(matrix));
    const auto given = settings.find(key);
    return given == settings.end()
               ? Distribution{Deal::contiguous, {}}
               : deal_setting(spelled_deal()(key, given->second), shape_of(p, matrix), machine.ranks)
                     .distribution;
  };
  return Home{home_grid(machine, settings), deal(Matrix::a), deal(Matrix::b), deal(Matrix::c)};
}

/// Without where the matrices lie, for a strategy that has its own distribution.
Settings own_settings(const Strategy& strategy, Settings settings, const Settings& variant) {
  const bool lie = says_where_matrices_lie(settings);
  settings["strategy"] = strategy.name();
  settings.insert(variant.begin(), variant.end());
  const auto& known = strategy.parameters();
  if (!lie || find_parameter(known, kDeals.front())) return settings;
  for (const char* key : kDeals) settings.erase(key);
  settings.erase("grid");
  return settings;
}

/// Each strategy that honours the sources, and its variants.
std::vector<ComparedStrategy> to_compare(const Contraction& contraction, const Settings& settings) {
  std::vector<ComparedStrategy> list;
  for (const auto& strategy : strategies()) {
    if (!strategy->honours(contraction.sources)) continue;
    list.push_back({strategy->name()});
    for (const Settings& variant : strategy->variants()) {
      const bool any_set =
          std::ranges::any_of(variant, [&](const auto& setting) { return settings.contains(setting.first); });
      if (!any_set) list.push_back({strategy->name(), variant});
    }
  }
  return list;
}

/// Asks for the seconds of plans, those that promise most first, until no other can be faster. Where one
/// cannot be told, all are left to their bounds.
void ask_for_seconds(const Contraction& contraction, const Machine& machine, const Settings& settings,
                     const PlanSeconds& plan_seconds, const PlanContext& context,
                     std::vector<ComparedStrategy>& compared) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<ComparedStrategy*> order;
  for (ComparedStrategy& one : compared) {
    if (one.refusal.empty()) order.push_back(&one);
  }
  std::ranges::stable_sort(order, {}, [](const ComparedStrategy* one) { return one->seconds(); });
  double least_s = kNever;
  try {
    for (ComparedStrategy* const one : order) {
      // A machine with noise may be faster than the bound.
      if (one->seconds() >= least_s && !machine.platform.noise.any()) {
        one->plan_s = kNever;
        continue;
      }
      const double stop_s = least_s - (one->dealt ? one->dealt->seconds : 0);
      const Settings own = own_settings(find_strategy(one->strategy), settings, one->variant);
      one->plan_s = plan_seconds(make_plan(contraction, machine, own, {}, context), stop_s);
      if (std::isinf(*one->plan_s)) one->stopped_s = std::max(0.0, stop_s);
      least_s = std::min(least_s, one->seconds());
    }
  } catch (const InputError&) {
    for (ComparedStrategy& one : compared) one.plan_s.reset();
  }
}

}  // namespace

std::vector<ComparedStrategy> compare_strategies(const Contraction& contraction, const Machine& machine,
                                                 const Settings& settings, const PlanSeconds& plan_seconds,
                                                 const PlanContext& context) {
  const std::optional<Home> home = home_setting(contraction, machine, settings);
  std::vector<ComparedStrategy> compared = to_compare(contraction, settings);
  for (ComparedStrategy& one : compared) {
    try {
      const Settings own = own_settings(find_strategy(one.strategy), settings, one.variant);
      const Plan plan = make_plan(contraction, machine, own, {}, context);
      verify(plan, contraction);
      one.bound_s = bounds_of(plan, contraction, machine).plan.seconds;
      if (home) one.dealt = deal_anew(contraction, machine, *home, plan);
    } catch (const InputError& error) {
      one.refusal = error.what();
      one.error = std::current_exception();
    }
  }
  if (plan_seconds) ask_for_seconds(contraction, machine, settings, plan_seconds, context, compared);
  return compared;
}

namespace {

/// Of the strategy that knows most of the settings, and not that another does not know one.
const ComparedStrategy& telling_refusal(const std::vector<ComparedStrategy>& compared,
                                        const Settings& settings) {
  const auto known = [&](const ComparedStrategy& one) {
    const auto& parameters = find_strategy(one.strategy).parameters();
    return std::ranges::count_if(
        settings, [&](const auto& setting) { return find_parameter(parameters, setting.first) != nullptr; });
  };
  return *std::ranges::max_element(compared, {}, known);
}

}  // namespace

Settings fastest_settings(const std::vector<ComparedStrategy>& compared, const Contraction& contraction,
                          const Settings& settings) {
  const ComparedStrategy* fastest = nullptr;
  for (const ComparedStrategy& one : compared) {
    if (one.refusal.empty() && (!fastest || one.seconds() < fastest->seconds())) fastest = &one;
  }
  if (fastest) return own_settings(find_strategy(fastest->strategy), settings, fastest->variant);
  if (!compared.empty()) std::rethrow_exception(telling_refusal(compared, settings).error);
  Settings unnamed = settings;
  unnamed.erase("strategy");
  choose_strategy(contraction.sources, unnamed);  // throws
  return unnamed;
}

bool asks_for_comparison(const Settings& settings) {
  const auto named = settings.find("strategy");
  return named != settings.end() && named->second == kAuto;
}

}  // namespace foretile
