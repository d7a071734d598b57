// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "base/threads.hpp"
#include "planner/bound/bound.hpp"
#include "planner/problem/estimate.hpp"
#include "planner/strategies/distribution_setting.hpp"
#include "planner/strategies/grid_text.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

constexpr std::array kDistributions{"distribution.a", "distribution.b", "distribution.c"};

bool gives_distributions(const Settings& settings) {
  return std::ranges::any_of(kDistributions, [&](const char* key) { return settings.contains(key); });
}

ProcessGrid given_grid(const Machine& machine, const Settings& settings) {
  const auto given = settings.find("grid");
  if (given == settings.end() || given->second == kAuto) return {1, machine.ranks, 1};
  const AlongAxes numbers = parse_grid("grid", given->second);
  const ProcessGrid grid{numbers[Axis::p], numbers[Axis::q], numbers[Axis::r]};
  if (std::int64_t{grid.p} * grid.q * grid.r != machine.ranks)
    throw input_error("grid", given->second,
                      fmt::format("numbers whose product is {}, the ranks", machine.ranks));
  return grid;
}

std::optional<GivenDistributions> given_distributions(const Contraction& p, const Machine& machine,
                                                      const Settings& settings) {
  if (!gives_distributions(settings)) return std::nullopt;
  const auto distribution = [&](Matrix matrix) {
    const char* const key = kDistributions.at(static_cast<std::size_t>(matrix));
    const auto given = settings.find(key);
    return given == settings.end() ? Distribution{DistributionKind::contiguous, {}}
                                   : distribution_setting(spelled_distribution()(key, given->second),
                                                          shape_of(p, matrix), machine.ranks)
                                         .distribution;
  };
  return GivenDistributions{given_grid(machine, settings), distribution(Matrix::a), distribution(Matrix::b),
                            distribution(Matrix::c)};
}

/// Without where the matrices are, for a strategy that has its own distribution.
Settings own_settings(const Strategy& strategy, Settings settings, const Settings& variant) {
  const bool given = gives_distributions(settings);
  settings["strategy"] = strategy.name();
  settings.insert(variant.begin(), variant.end());
  const auto& known = strategy.parameters();
  if (!given || find_parameter(known, kDistributions.front())) return settings;
  for (const char* key : kDistributions) settings.erase(key);
  settings.erase("grid");
  return settings;
}

/// Keys that say where matrices are belong to all strategies.
bool knows_all(const Strategy& strategy, const Settings& settings) {
  Settings own = own_settings(strategy, settings, {});
  own.erase("strategy");
  return std::ranges::all_of(own, [&](const auto& setting) {
    return find_parameter(strategy.parameters(), setting.first) != nullptr;
  });
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

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kFirstTimesBound = 1.5;  // that long the first simulations are followed
constexpr double kLeast_s = 1e-9;         // where nothing is known
constexpr double kClear = 0.75;           // of two bounds

/// Tiles that are loaded and received, which take most of a coarse simulation.
double loads_of(const Plan& plan, const PlanSummary& summary) {
  double devices = 0, received = 0;
  for (const RankPlan& rank : plan.ranks) {
    devices += static_cast<double>(rank.devices.size());
    for (const Transfer& transfer : rank.transfers)
      received += static_cast<double>(transfer.tiles.size() * transfer.others.size());
  }
  return devices * summary.device_loads.mean + received;
}

/// What no plan of any strategy with these sources can beat.
double least_of_any_plan(const Contraction& contraction, const Machine& machine) {
  const bool cores_too = machine.platform.device.kind == DeviceKind::gpu &&
                         machine.platform.core.kernel_for(contraction.precision).known();
  return problem_bound(contraction, machine, contraction.sources,
                       {.partial_sums = true, .cores_beside = cores_too ? machine.cores_beside_gpus() : 0})
      .seconds;
}

/// A comparison under way: plans, and what is known of them.
class Comparing {
 public:
  Comparing(const Contraction& contraction, const Machine& machine, const Settings& settings,
            const PlanSeconds& plan_seconds, const PlanContext& context,
            const std::optional<ComparisonLimits>& limits)
      : contraction_(contraction),
        machine_(machine),
        settings_(settings),
        plan_seconds_(plan_seconds),
        context_(context),
        limits_(limits),
        given_(given_distributions(contraction, machine, settings)),
        plans_(0) {
    found_.strategies = to_compare(contraction, settings);
    plans_.resize(found_.strategies.size());
  }

  Comparison compare() {
    if (first_is_near_the_bound()) return finished();
    plan_all();
    if (plan_seconds_) ask_for_seconds();
    while (const ComparedStrategy* const fastest = found_.fastest()) {
      if (prove(number_of(*fastest))) break;
    }
    return finished();
  }

 private:
  /// A plan, proven once that is asked for.
  struct Planned {
    std::optional<Plan> plan;
    std::optional<PlanSummary> summary;
  };

  std::size_t number_of(const ComparedStrategy& one) const {
    return static_cast<std::size_t>(&one - found_.strategies.data());
  }

  void refuse(std::size_t number, const InputError& error) {
    ComparedStrategy& one = found_.strategies[number];
    one.refusal = error.what();
    one.error = std::current_exception();
    plans_[number] = {};
  }

  void plan(std::size_t number) {
    ComparedStrategy& one = found_.strategies[number];
    if (plans_[number].plan || !one.refusal.empty()) return;
    try {
      const Settings own = own_settings(find_strategy(one.strategy), settings_, one.variant);
      Plan plan = make_plan(contraction_, machine_, own, {}, context_);
      one.bound_s = plan_bound(plan, contraction_, machine_).seconds;
      if (given_) one.redistribution = redistribution_cost(contraction_, machine_, *given_, plan);
      plans_[number].plan = std::move(plan);
    } catch (const InputError& error) {
      refuse(number, error);
    }
  }

  /// What else is thrown leaves its plan open, and is thrown again by who plans it then.
  void plan_all() {
    std::atomic<std::size_t> next = 0;
    const auto work = [&](int /*thread*/) noexcept {
      for (std::size_t number = next++; number < plans_.size(); number = next++) {
        try {
          plan(number);
        } catch (...) {
        }
      }
    };
    const int threads = std::min(usable_cores(), static_cast<int>(plans_.size()));
    if (threads > 1) {
      try {
        run_on_threads(threads, work);
      } catch (const WorkError&) {  // there are no more threads: it takes longer
      }
    }
    for (std::size_t number = 0; number < plans_.size(); ++number) plan(number);
  }

  bool prove(std::size_t number) {
    Planned& planned = plans_[number];
    if (planned.summary) return true;
    try {
      planned.summary = verify(*planned.plan, contraction_);
      return true;
    } catch (const InputError& error) {
      refuse(number, error);
      return false;
    }
  }

  double ask(std::size_t number, double stop_s) {
    return plan_seconds_(*plans_[number].plan, *plans_[number].summary, stop_s);
  }

  /// Whether no other one can be faster by more than predictions can tell. Noise leaves no bound.
  bool first_is_near_the_bound() {
    if (!limits_ || !plan_seconds_ || given_ || machine_.platform.noise.any() || plans_.size() < 2)
      return false;
    plan(0);
    ComparedStrategy& first = found_.strategies.front();
    if (!first.refusal.empty()) return false;
    const double any_plan_s = least_of_any_plan(contraction_, machine_);
    const double near_s = limits_->near_bound * any_plan_s;
    if (first.bound_s > near_s || !prove(0) || is_too_large(0)) return false;
    try {
      first.plan_s = ask(0, kNever);
    } catch (const InputError&) {
      return false;
    }
    if (*first.plan_s > near_s) return false;
    found_.any_plan_s = any_plan_s;
    found_.strategies.resize(1);
    return true;
  }

  bool is_too_large(std::size_t number) const {
    return limits_ && loads_of(*plans_[number].plan, *plans_[number].summary) > limits_->loads;
  }

  /// Asks for the seconds of plans, those that promise most first, until no other can be faster. Where one
  /// are not known, all are left to their bounds.
  void ask_for_seconds() {
    try {
      double until_s = std::max(kLeast_s, kFirstTimesBound * least_open_s());
      while (ask_until(until_s)) until_s *= 2;
    } catch (const InputError& error) {
      leave_to_bounds(error.what());
    }
  }

  /// Of those without seconds, what one takes at least.
  double least_open_s() const {
    double least_s = kNever;
    for (const ComparedStrategy& one : found_.strategies) {
      if (one.refusal.empty() && !one.plan_s) least_s = std::min(least_s, one.least_s());
    }
    return least_s;
  }

  /// None is simulated longer than that: one that promises much may take much longer. Whether some are
  /// open.
  bool ask_until(double until_s) {
    std::vector<ComparedStrategy*> order;
    double least_s = kNever;
    for (ComparedStrategy& one : found_.strategies) {
      if (!one.refusal.empty()) continue;
      if (one.plan_s) {
        least_s = std::min(least_s, one.seconds());
      } else {
        order.push_back(&one);
      }
    }
    std::ranges::stable_sort(order, {}, [](const ComparedStrategy* one) { return one->least_s(); });
    const bool noise = machine_.platform.noise.any();  // it may be faster than the bound
    for (ComparedStrategy* const one : order) {
      const std::size_t number = number_of(*one);
      const bool beaten = one->stopped_s >= least_s || (one->least_s() >= least_s && !noise);
      if (!beaten && one->least_s() >= until_s && !noise) continue;
      if (!beaten && !prove(number)) continue;
      if (!beaten && is_too_large(number)) {
        leave_to_bounds("the plans are large");
        return false;
      }
      const double others_s = least_s - (one->redistribution ? one->redistribution->seconds : 0);
      const double stop_s = noise ? others_s : std::min(others_s, until_s);
      const double seconds = beaten ? kNever : ask(number, stop_s);
      if (std::isinf(seconds) && !beaten) one->stopped_s = std::max(0.0, stop_s);
      if (!std::isinf(seconds) || stop_s == others_s || beaten) one->plan_s = seconds;
      least_s = std::min(least_s, one->plan_s ? one->seconds() : kNever);
    }
    return least_open_s() < kNever;
  }

  /// Of a comparison that was not asked for, only where they are clear.
  void leave_to_bounds(const std::string& why) {
    found_.not_simulated = why;
    for (ComparedStrategy& one : found_.strategies) one.plan_s.reset(), one.stopped_s = 0;
    const ComparedStrategy* const least = found_.fastest();
    const ComparedStrategy& first = found_.strategies.front();
    if (!limits_ || !least || !first.refusal.empty() || least->seconds() < kClear * first.seconds()) return;
    found_.strategies.resize(1);
    found_.not_simulated += ", and bounds do not tell them apart";
  }

  Comparison finished() {
    if (const ComparedStrategy* const fastest = found_.fastest()) {
      Planned& planned = plans_[number_of(*fastest)];
      found_.plan = std::move(planned.plan);
      found_.summary = *std::move(planned.summary);
    }
    return std::move(found_);
  }

  const Contraction& contraction_;
  const Machine& machine_;
  const Settings& settings_;
  const PlanSeconds& plan_seconds_;
  const PlanContext& context_;
  const std::optional<ComparisonLimits>& limits_;
  std::optional<GivenDistributions> given_;
  std::vector<Planned> plans_;  // by number of the strategy
  Comparison found_;
};

const ComparedStrategy* fastest_of(const std::vector<ComparedStrategy>& compared) {
  const ComparedStrategy* fastest = nullptr;
  for (const ComparedStrategy& one : compared) {
    if (one.refusal.empty() && (!fastest || one.seconds() < fastest->seconds())) fastest = &one;
  }
  return fastest;
}

}  // namespace

double ComparedStrategy::least_s() const {
  const double known_s = plan_s && std::isfinite(*plan_s) ? *plan_s : std::max(bound_s, stopped_s);
  return known_s + (redistribution ? redistribution->seconds : 0);
}

const ComparedStrategy* Comparison::fastest() const {
  return fastest_of(strategies);
}

Comparison compare_strategies(const Contraction& contraction, const Machine& machine,
                              const Settings& settings, const PlanSeconds& plan_seconds,
                              const PlanContext& context, const std::optional<ComparisonLimits>& limits) {
  return Comparing(contraction, machine, settings, plan_seconds, context, limits).compare();
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
  if (const ComparedStrategy* const fastest = fastest_of(compared))
    return own_settings(find_strategy(fastest->strategy), settings, fastest->variant);
  if (!compared.empty()) std::rethrow_exception(telling_refusal(compared, settings).error);
  Settings unnamed = settings;
  unnamed.erase("strategy");
  choose_strategy(contraction.sources, unnamed);  // throws
  return unnamed;
}

std::string comparison_text(const Comparison& comparison) {
  const ComparedStrategy* const fastest = comparison.fastest();
  if (!fastest) return {};
  const auto named = [](const ComparedStrategy& one) {
    std::vector<std::string> variant;
    for (const auto& [key, value] : one.variant) variant.push_back(fmt::format("{}={}", key, value));
    return variant.empty() ? one.strategy : fmt::format("{} ({})", one.strategy, fmt::join(variant, " "));
  };
  const bool simulated = fastest->plan_s.has_value();
  std::string text = fmt::format("{}: {}{}", named(*fastest), simulated ? "" : "at least ",
                                 quantity(fastest->least_s(), "s"));
  text += simulated ? " by a coarse simulation" : " by bounds alone";
  if (!comparison.not_simulated.empty()) text += fmt::format(" ({})", comparison.not_simulated);
  for (const ComparedStrategy& one : comparison.strategies) {
    if (&one == fastest || !one.refusal.empty()) continue;
    const bool known = one.plan_s && std::isfinite(*one.plan_s);
    const char* const stands_for = known ? "" : one.plan_s ? "more than " : "at least ";
    text += fmt::format("; {} {}{}", named(one), stands_for, quantity(one.least_s(), "s"));
  }
  if (comparison.any_plan_s > 0)
    text += fmt::format("; no plan takes less than {}", quantity(comparison.any_plan_s, "s"));
  return text;
}

bool asks_for_comparison(const Settings& settings) {
  const auto named = settings.find("strategy");
  return named != settings.end() && named->second == kAuto;
}

bool leaves_no_choice(const Contraction& contraction, const Settings& settings) {
  if (settings.contains("strategy")) return !asks_for_comparison(settings);
  const auto candidates = to_compare(contraction, settings);
  return std::ranges::count_if(candidates, [&](const ComparedStrategy& one) {
           return knows_all(find_strategy(one.strategy), settings);
         }) == 1;
}

}  // namespace foretile
