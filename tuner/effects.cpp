// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/effects.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace foretile {

namespace {

using Status = ValueEffect::Status;

double ratio_of(double slow_s, double fast_s) {
  if (slow_s == fast_s) return 1;
  return fast_s > 0 ? slow_s / fast_s : std::numeric_limits<double>::infinity();
}

std::string value_in(const Candidate& candidate, const std::string& name) {
  const auto found = candidate.find(name);
  return found == candidate.end() ? std::string() : found->second;
}

Candidate with(Candidate candidate, const std::string& name, const std::string& value) {
  candidate[name] = value;
  return candidate;
}

/// The one parameter in which they differ; a missing one differs from all values.
std::optional<std::string> only_difference(const Candidate& l, const Candidate& r) {
  std::optional<std::string> name;
  const auto note = [&](const Candidate& from, const Candidate& to) {
    for (const auto& [key, value] : from) {
      const auto other = to.find(key);
      if ((other != to.end() && other->second == value) || name == key) continue;
      if (name) return false;
      name = key;
    }
    return true;
  };
  return note(l, r) && note(r, l) ? name : std::nullopt;
}

/// What is known of candidates, by themselves and by their plans.
class Knowledge {
 public:
  explicit Knowledge(const TuneResult& result) : result_(result) {
    for (const Evaluation& evaluation : result.ranking) {  // done ones come first
      by_candidate_.emplace(evaluation.candidate, &evaluation.outcome);
      if (const std::string plan = plan_of(evaluation.outcome); !plan.empty())
        by_plan_.emplace(plan, &evaluation.outcome);
    }
  }

  ValueEffect effect(const std::string& value, const Candidate& candidate) const {
    const Evaluation& best = *result_.best();
    if (candidate == best.candidate) return {value, Status::best, cost_of(best.outcome)};
    const std::string plan = plan_text(candidate);
    const auto& same = result_.same_as_best;
    if ((!plan.empty() && plan == plan_of(best.outcome)) ||
        std::find(same.begin(), same.end(), candidate) != same.end())
      return {value, Status::same_plan, cost_of(best.outcome)};
    if (const Outcome* const outcome = outcome_of(candidate, plan)) return of_outcome(value, *outcome);
    const auto bound = result_.neighbour_bounds.find(candidate);
    if (bound == result_.neighbour_bounds.end()) return of_bound(value, 0);
    if (!bound->second.done()) return of_outcome(value, bound->second);
    return of_bound(value, cost_of(bound->second));
  }

  /// Empty when it is not known.
  std::string plan_text(const Candidate& candidate) const {
    if (const auto own = by_candidate_.find(candidate); own != by_candidate_.end())
      return plan_of(*own->second);
    const auto bound = result_.neighbour_bounds.find(candidate);
    return bound == result_.neighbour_bounds.end() ? std::string() : plan_of(bound->second);
  }

 private:
  double cost_of(const Outcome& outcome) const { return foretile::cost_of(outcome, result_.goal); }

  /// Its own, or that of another candidate with its plan, if that says more.
  const Outcome* outcome_of(const Candidate& candidate, const std::string& plan) const {
    const auto own = by_candidate_.find(candidate);
    if (own != by_candidate_.end() && own->second->done()) return own->second;
    if (const auto same = by_plan_.find(plan); same != by_plan_.end()) return same->second;
    return own == by_candidate_.end() ? nullptr : own->second;
  }

  ValueEffect of_outcome(const std::string& value, const Outcome& outcome) const {
    switch (outcome.status) {
      case Outcome::Status::done:
        return {value, Status::done, cost_of(outcome)};
      case Outcome::Status::stopped:
        return of_bound(value, cost_of(outcome));
      case Outcome::Status::infeasible:
        return {value, Status::infeasible, 0, outcome.message};
      case Outcome::Status::failed:
        break;
    }
    return {value, Status::failed, 0, outcome.message};
  }

  ValueEffect of_bound(const std::string& value, double seconds) const {
    const bool not_better = seconds >= cost_of(result_.best()->outcome);
    return {value, not_better ? Status::at_least : Status::not_tried, seconds};
  }

  const TuneResult& result_;
  std::map<Candidate, const Outcome*> by_candidate_;
  std::map<std::string, const Outcome*> by_plan_;
};

/// Those of the space, and those that were tried with all else as in the best; the best itself, too.
std::map<std::string, std::set<Candidate>> variants_of_best(const TuneResult& result) {
  const Candidate& best = result.best()->candidate;
  std::map<std::string, std::set<Candidate>> variants;
  for (const Parameter& parameter : result.space.parameters()) {
    for (const std::string& value : parameter.values)
      variants[parameter.name].insert(with(best, parameter.name, value));
  }
  for (const Evaluation& evaluation : result.ranking) {
    if (const auto name = only_difference(best, evaluation.candidate))
      variants[*name].insert(evaluation.candidate);
  }
  for (auto& [name, of_name] : variants) of_name.insert(best);
  return variants;
}

/// Done candidates that are alike but for one parameter.
struct Group {
  double shortest_s = 0, longest_s = 0;
  std::uint64_t size = 0;
};

/// By what they have in common, for each parameter.
std::map<std::string, std::map<Candidate, Group>> groups_of(const TuneResult& result) {
  std::map<std::string, std::map<Candidate, Group>> groups;
  for (const Evaluation& evaluation : result.ranking) {
    if (!evaluation.outcome.done()) break;
    const double seconds = cost_of(evaluation.outcome, result.goal);
    for (const auto& [name, value] : evaluation.candidate) {
      Candidate rest = evaluation.candidate;
      rest.erase(name);
      Group& group = groups[name].try_emplace(std::move(rest), Group{seconds, seconds, 0}).first->second;
      group.longest_s = seconds;  // the ranking runs from fast to slow
      ++group.size;
    }
  }
  for (auto& [name, of_name] : groups) {
    Candidate of_best = result.best()->candidate;
    of_best.erase(name);
    of_name.erase(of_best);
  }
  return groups;
}

}  // namespace

std::vector<Candidate> neighbours_of(const Candidate& candidate, const Space& space) {
  std::vector<Candidate> neighbours;
  for (const Parameter& parameter : space.parameters()) {
    for (const std::string& value : parameter.values) {
      if (value_in(candidate, parameter.name) != value)
        neighbours.push_back(with(candidate, parameter.name, value));
    }
  }
  return neighbours;
}

std::string status_name(ValueEffect::Status status) {
  constexpr std::array names = {"best", "same_plan", "done", "at_least", "not_tried", "infeasible", "failed"};
  return names.at(static_cast<std::size_t>(status));
}

double ParameterEffect::ratio() const {
  double longest_s = values.front().seconds;
  for (const ValueEffect& effect : values) {
    if (effect.status <= Status::at_least) longest_s = std::max(longest_s, effect.seconds);
  }
  return ratio_of(longest_s, values.front().seconds);
}

std::vector<ParameterEffect> effects_on_best(const TuneResult& result) {
  if (!result.best()) return {};
  const Knowledge known(result);
  std::vector<ParameterEffect> effects;
  for (const auto& [name, candidates] : variants_of_best(result)) {
    if (candidates.size() < 2) continue;
    ParameterEffect parameter{name, {}};
    for (const Candidate& candidate : candidates)
      parameter.values.push_back(known.effect(value_in(candidate, name), candidate));
    std::stable_sort(parameter.values.begin(), parameter.values.end(),
                     [](const ValueEffect& l, const ValueEffect& r) {
                       return std::pair(l.status, l.seconds) < std::pair(r.status, r.seconds);
                     });
    effects.push_back(std::move(parameter));
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const ParameterEffect& l, const ParameterEffect& r) { return l.ratio() > r.ratio(); });
  return effects;
}

std::vector<Candidate> unknown_neighbours(const TuneResult& result) {
  if (!result.best()) return {};
  const Knowledge known(result);
  std::vector<Candidate> unknown;
  std::set<std::string> plans;
  for (const Candidate& candidate : neighbours_of(result.best()->candidate, result.space)) {
    const Status status = known.effect({}, candidate).status;
    if (status != Status::at_least && status != Status::not_tried) continue;
    const std::string plan = known.plan_text(candidate);
    if (plan.empty() || plans.insert(plan).second) unknown.push_back(candidate);
  }
  return unknown;
}

std::vector<Comparisons> comparisons_elsewhere(const TuneResult& result) {
  if (!result.best()) return {};
  std::vector<Comparisons> comparisons;
  for (const auto& [name, groups] : groups_of(result)) {
    std::vector<double> ratios;
    for (const auto& [rest, group] : groups) {
      if (group.size > 1) ratios.push_back(ratio_of(group.longest_s, group.shortest_s));
    }
    if (ratios.empty()) continue;
    std::sort(ratios.begin(), ratios.end());
    comparisons.push_back({name, ratios.size(), ratios[ratios.size() / 2], ratios.back()});
  }
  return comparisons;
}

}  // namespace foretile
