// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/what_fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "apps/resources.hpp"
#include "base/missing_memory.hpp"
#include "base/parse.hpp"
#include "planner/problem/estimate.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "planner/problem/limits.hpp"
#include "planner/strategies/compare.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

constexpr std::array kTimesFiner = {1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0};

/// More clusters make smaller tiles. Those of the occupied orbitals cut T and R alone.
constexpr std::string_view kClusters = "ao_clusters";

struct Key {
  std::string name;
  std::int64_t value;
};

std::vector<Key> keys_to_change(const Problem& problem) {
  std::vector<Key> keys;
  for (const std::string& key : tiling_keys(problem)) {
    const auto value = tiling_value(problem, key);
    if (!value) continue;
    const std::int64_t number = parse_integer(*value, key, 0, max_extent);
    if (key == kClusters) return {{key, number}};
    if (number > 1 && key.find("clusters") == std::string::npos) keys.push_back({key, number});
  }
  return keys;
}

std::int64_t finer(const Key& key, double times) {
  const double value = static_cast<double>(key.value);
  return key.name == kClusters ? std::llround(std::ceil(value * times))
                               : std::max<std::int64_t>(1, std::llround(std::floor(value / times)));
}

}  // namespace

std::vector<Settings> finer_tilings(const Problem& problem) {
  const std::vector<Key> keys = keys_to_change(problem);
  std::vector<Settings> tilings;
  for (const double times : kTimesFiner) {
    Settings tiling;
    for (const Key& key : keys) tiling[key.name] = fmt::to_string(finer(key, times));
    if (!tiling.empty() && (tilings.empty() || tilings.back() != tiling))
      tilings.push_back(std::move(tiling));
  }
  return tilings;
}

namespace {

struct FittingChange {
  Settings tiling;    // of the problem's keys
  Settings settings;  // of the strategy
  std::optional<int> nodes;
};

/// Follows the refusals: finer tiles where a device is too small for a few of them, settings with which a
/// rank keeps less where its host memory is, and else twice the nodes.
class Fitting {
 public:
  Fitting(const Case& the_case, bool may_grow, TimeBudget budget)
      : case_(the_case),
        may_grow_(may_grow),
        budget_(std::move(budget)),
        tilings_(finer_tilings(the_case.problem)),
        contraction_(build_contraction(the_case.problem)),
        machine_(make_machine(the_case.platform, the_case.size)) {}

  /// `known`: what planning the case itself was refused for, where that was done.
  std::optional<FittingChange> found(const std::optional<Refused>& known) {
    try {
      if (known) learn(*known);
      for (auto refused = known ? known : refusal(); refused; refused = refusal()) {
        if (!change(refused->short_of)) return std::nullopt;
      }
      return ended_ ? std::nullopt : std::optional(change_);
    } catch (const InputError&) {  // a larger machine than there is, a tiling that cannot be
      return std::nullopt;
    }
  }

 private:
  void load() {
    contraction_ = build_contraction(retile(case_.problem, change_.tiling));
    machine_ = make_machine(case_.platform, change_.nodes
                                                ? MachineSize{.nodes = change_.nodes, .ranks = {}, .gpus = {}}
                                                : case_.size);
    change_.settings.clear();
    less_per_rank_.reset();
  }
  /// Of one strategy: a comparison takes it, or a faster one.
  Settings settings() const {
    Settings all = change_.settings;
    all.merge(Settings(case_.settings));
    if (!asks_for_comparison(all))
      all.try_emplace("strategy", choose_strategy(contraction_.sources, all).name());
    return all;
  }

  double expected_s() const { return estimate_planning(contraction_).seconds * share_of_estimate_; }
  void learn(const Refused& refused) {
    constexpr double kLeastShare = 0.1;  // the estimate is on the safe side, by that much at most
    // Others may be refused long before the end of planning.
    if (refused.short_of == ShortOf::host_memory && expected_s() > 0)
      share_of_estimate_ =
          std::clamp(share_of_estimate_ * refused.planned_s / expected_s(), kLeastShare, 1.0);
  }

  /// Nothing where it fits, or the time is over.
  std::optional<Refused> refusal() {
    constexpr double kLong = 2;  // then what the host may refuse in the end is not tried
    if (expected_s() > kLong && !less_per_rank_) {
      list_less_per_rank();
      take_next();
    }
    ended_ = expected_s() > budget_.left();
    if (ended_) return std::nullopt;
    const Stopwatch watch;
    try {
      plan_work(contraction_, machine_, settings());
      return std::nullopt;
    } catch (const MissingMemory& error) {
      const Refused refused{error.short_of(), watch.seconds()};
      learn(refused);
      return refused;
    }
  }

  bool change(ShortOf short_of) {
    switch (short_of) {
      case ShortOf::device_memory:
        return take_finer_tiles();
      case ShortOf::host_memory:
        return take_less_per_rank() || grow() || take_finer_tiles();
      case ShortOf::room_for_matrices:
        break;
    }
    return grow();
  }
  bool take_finer_tiles() {
    if (next_tiling_ == tilings_.size()) return false;
    change_.tiling = tilings_[next_tiling_++];
    load();
    return true;
  }
  void list_less_per_rank() {
    less_per_rank_ = changes_with_less_per_rank(contraction_, machine_, case_.settings);
    std::ranges::reverse(*less_per_rank_);
  }
  bool take_next() {
    if (less_per_rank_->empty()) return false;
    change_.settings = less_per_rank_->back();
    less_per_rank_->pop_back();
    return true;
  }
  bool take_less_per_rank() {
    const Settings refused = change_.settings;
    if (!less_per_rank_) list_less_per_rank();
    while (take_next()) {
      if (change_.settings != refused) return true;
    }
    return false;
  }
  bool grow() {
    const int nodes = std::min(2 * machine_.nodes(), case_.platform.nodes);
    if (!may_grow_ || nodes <= machine_.nodes()) return false;
    change_.nodes = nodes;
    load();
    return true;
  }

  const Case& case_;
  bool may_grow_;
  TimeBudget budget_;
  std::vector<Settings> tilings_;
  std::size_t next_tiling_ = 0;
  FittingChange change_;
  Contraction contraction_;
  Machine machine_;
  std::optional<std::vector<Settings>> less_per_rank_;  // not tried yet, the last one first
  double share_of_estimate_ = 1;
  bool ended_ = false;
};

}  // namespace

std::string what_fits(const Case& the_case, const Refused& refused) {
  const TimeBudget budget(std::max(kFittingSeconds, 2 * refused.planned_s));
  const auto change = Fitting(the_case, true, budget).found(refused);
  if (!change) return {};
  std::string set, options;
  for (const auto& [key, value] : change->tiling) {
    set += fmt::format(" --set problem.{}={}", key, value);
    std::string option = key;
    std::ranges::replace(option, '_', '-');
    options += fmt::format(" --{} {}", option, value);
  }
  if (!change->nodes && change->settings.empty())
    return fmt::format("it fits with{}, or made by foretile problem with{}", set, options);
  for (const auto& [key, value] : change->settings) set += fmt::format(" --set {}={}", key, value);
  if (!change->nodes) return fmt::format("it fits with{}", set);
  const char* const instead_of = the_case.size.gpus    ? " instead of --gpus"
                                 : the_case.size.ranks ? " instead of --ranks"
                                                       : "";
  return fmt::format("it fits with --nodes {}{}{}", *change->nodes, instead_of, set);
}

std::vector<Parameter> tilings_to_try(const Case& the_case, const TimeBudget& budget) {
  const std::vector<Settings> all = finer_tilings(the_case.problem);
  if (all.empty()) return {};
  const auto change = Fitting(the_case, false, budget).found({});
  if (!change || change->tiling.empty()) return {};
  const Settings& first = change->tiling;
  std::vector<Parameter> parameters;
  const auto found = std::ranges::find(all, first);
  for (const auto& [key, value] : first) {
    Parameter parameter{"problem." + key, {value}};
    if (std::next(found) != all.end() && std::next(found)->at(key) != value)
      parameter.values.push_back(std::next(found)->at(key));
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace foretile
