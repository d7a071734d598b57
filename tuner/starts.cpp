// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/starts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "tuner/values_text.hpp"

namespace foretile {

namespace {

bool same_value(const std::string& l, const std::string& r) {
  if (l == r) return true;
  const std::optional<double> number = number_in(l);
  return number && number == number_in(r);
}

bool contains(const std::vector<Candidate>& candidates, const Candidate& candidate) {
  return std::find(candidates.begin(), candidates.end(), candidate) != candidates.end();
}

/// As the space spells it; nothing where it is not there.
std::optional<std::string> value_of(const Parameter& parameter, const std::string& value) {
  const auto found = std::find_if(parameter.values.begin(), parameter.values.end(),
                                  [&](const std::string& own) { return same_value(own, value); });
  return found == parameter.values.end() ? std::nullopt : std::optional(*found);
}

std::size_t in_common(const Candidate& l, const Candidate& r) {
  return static_cast<std::size_t>(std::count_if(l.begin(), l.end(), [&](const auto& entry) {
    const auto other = r.find(entry.first);
    return other != r.end() && same_value(entry.second, other->second);
  }));
}

const Candidate& nearest(const std::vector<Candidate>& defaults, const Candidate& candidate) {
  return *std::max_element(defaults.begin(), defaults.end(), [&](const Candidate& l, const Candidate& r) {
    return in_common(l, candidate) < in_common(r, candidate);
  });
}

/// Nothing where it is no candidate of this space.
std::optional<Candidate> moved_here(const Candidate& candidate, const Space& space,
                                    const std::vector<Candidate>& defaults) {
  const Candidate& own = nearest(defaults, candidate);
  Candidate moved;
  for (const Parameter& parameter : space.parameters()) {
    const auto given = candidate.find(parameter.name);
    const auto by_default = own.find(parameter.name);
    if (given == candidate.end()) {
      if (by_default != own.end()) moved.insert(*by_default);
    } else if (const auto value = value_of(parameter, given->second)) {
      moved[parameter.name] = *value;
    } else if (by_default != own.end() && same_value(by_default->second, given->second)) {
      moved.insert(*by_default);
    } else {
      return std::nullopt;
    }
  }
  return moved;
}

}  // namespace

Starts starts_from(const std::vector<Evaluation>& elsewhere, const Space& space,
                   const std::vector<Candidate>& defaults, std::size_t most) {
  std::map<double, std::vector<const Candidate*>> by_time;
  for (const Evaluation& evaluation : elsewhere) {
    if (evaluation.outcome.done()) by_time[evaluation.outcome.makespan_s].push_back(&evaluation.candidate);
  }
  Starts starts;
  for (const auto& [seconds, candidates] : by_time) {
    if (starts.candidates.size() + starts.unused == most) break;
    std::optional<Candidate> moved;
    for (auto next = candidates.begin(); next != candidates.end() && !moved; ++next)
      moved = moved_here(**next, space, defaults);
    if (!moved) {
      ++starts.unused;
    } else if (!contains(defaults, *moved) && !contains(starts.candidates, *moved)) {
      starts.candidates.push_back(std::move(*moved));
    }
  }
  return starts;
}

}  // namespace foretile
