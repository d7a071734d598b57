// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/progress.hpp"
#include "tuner/effects.hpp"
#include "tuner/values_text.hpp"

namespace foretile {

namespace {

using Row = std::vector<std::string>;

std::size_t done_count(const TuneResult& result) {
  const auto end = std::find_if(result.ranking.begin(), result.ranking.end(),
                                [](const Evaluation& evaluation) { return !evaluation.outcome.done(); });
  return static_cast<std::size_t>(end - result.ranking.begin());
}

const std::vector<std::string>& space_values(const TuneResult& result, const std::string& name) {
  static const std::vector<std::string> none;
  for (const Parameter& parameter : result.space.parameters()) {
    if (parameter.name == name) return parameter.values;
  }
  return none;
}

std::string in_words(const TuneResult& result, const std::string& name,
                     const std::vector<std::string>& values) {
  return values_text(values, space_values(result, name));
}

std::string value_or_dash(const Candidate& candidate, const std::string& name) {
  const auto found = candidate.find(name);
  return found == candidate.end() ? "-" : found->second;
}

/// Candidates with the same time (where the goal is energy, the same joules).
struct Tie {
  std::vector<const Candidate*> candidates;
  double seconds = 0;
  std::optional<double> joules = {};
  double cost = 0;  ///< what ranks them
};

/// From fast to slow. The first one's has those with the best's plan, simulated or not.
std::vector<Tie> ties_of(const TuneResult& result) {
  std::vector<Tie> ties;
  for (std::size_t i = 0; i < done_count(result); ++i) {
    const Evaluation& evaluation = result.ranking[i];
    const double cost = cost_of(evaluation.outcome, result.goal);
    if (ties.empty() || ties.back().cost != cost)
      ties.push_back({{}, evaluation.outcome.makespan_s, joules_of(evaluation.outcome), cost});
    ties.back().candidates.push_back(&evaluation.candidate);
  }
  if (ties.empty()) return ties;
  for (const Candidate& candidate : result.same_as_best) ties.front().candidates.push_back(&candidate);
  return ties;
}

std::vector<std::string> distinct(std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<std::string> values_in(const Tie& tie, const std::string& name) {
  std::vector<std::string> values;
  for (const Candidate* const candidate : tie.candidates) values.push_back(value_or_dash(*candidate, name));
  return distinct(std::move(values));
}

bool has_all_combinations(const Tie& tie, const std::vector<std::string>& names) {
  double combinations = 1;
  for (const std::string& name : names) combinations *= static_cast<double>(values_in(tie, name).size());
  std::set<Candidate> candidates;
  for (const Candidate* const candidate : tie.candidates) candidates.insert(*candidate);
  return combinations <= static_cast<double>(candidates.size());
}

/// In alphabetical order; a parameter that only some candidates have varies, too.
std::vector<std::string> varying_parameters(const std::vector<Tie>& ties) {
  std::set<std::string> all;
  Tie everything;
  for (const Tie& tie : ties) {
    for (const Candidate* const candidate : tie.candidates) {
      everything.candidates.push_back(candidate);
      for (const auto& [name, value] : *candidate) all.insert(name);
    }
  }
  std::vector<std::string> names;
  for (const std::string& name : all) {
    if (values_in(everything, name).size() > 1) names.push_back(name);
  }
  return names;
}

std::string ratio_text(double cost, const TuneResult& result) {
  if (!result.defaults || cost_of(result.defaults->outcome, result.goal) == 0) return "-";
  return fmt::format("{:.3f}", cost / cost_of(result.defaults->outcome, result.goal));
}

Row row_of(const TuneResult& result, const Tie& tie, std::size_t rank,
           const std::vector<std::string>& names) {
  const bool has_defaults = result.defaults && std::any_of(tie.candidates.begin(), tie.candidates.end(),
                                                           [&](const Candidate* candidate) {
                                                             return *candidate == result.defaults->candidate;
                                                           });
  Row row = {fmt::format("{}{}", has_defaults ? "*" : "", rank)};
  for (const std::string& name : names) row.push_back(in_words(result, name, values_in(tie, name)));
  row.push_back(fmt::format("{:.4g}", tie.seconds));
  if (result.best() && joules_of(result.best()->outcome))
    row.push_back(tie.joules ? fmt::format("{:.4g}", *tie.joules) : "-");
  row.push_back(ratio_text(tie.cost, result));
  return row;
}

std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      text += fmt::format("{}{:>{}}", c == 0 ? "" : "  ", row[c], widths[c]);
    text += '\n';
  }
  return text;
}

/// The first message stands for the others: where all fail, they mostly fail alike.
std::string nothing_done(const TuneResult& result) {
  if (result.ranking.empty())
    return "no candidate was evaluated: give more time, or allow more evaluations\n";
  const Outcome& first = result.ranking.front().outcome;
  return fmt::format("none of {} candidates could be simulated; the first is {}: {}\n", result.ranking.size(),
                     status_name(first.status), first.message);
}

std::string end_name(TuneEnd end) {
  switch (end) {
    case TuneEnd::complete:
      return "complete";
    case TuneEnd::count:
      return "count";
    case TuneEnd::time:
      return "time";
    case TuneEnd::interrupt:
      break;
  }
  return "interrupt";
}

nlohmann::json short_json(const Evaluation& evaluation) {
  nlohmann::json object = {{"parameters", evaluation.candidate},
                           {"makespan_s", evaluation.outcome.makespan_s}};
  if (const std::optional<double> joules = joules_of(evaluation.outcome)) object["joules"] = *joules;
  if (is_coarse(evaluation.outcome)) object["coarse"] = true;
  return object;
}

nlohmann::json ranking_json(const TuneResult& result) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(10, done_count(result)); ++i)
    list.push_back(short_json(result.ranking[i]));
  return list;
}

/// `goal`: what the effect's seconds are.
nlohmann::json value_json(const ValueEffect& effect, Goal goal) {
  const bool energy = goal == Goal::energy;
  nlohmann::json object = {{"value", effect.value.empty() ? nlohmann::json() : nlohmann::json(effect.value)},
                           {"status", status_name(effect.status)}};
  switch (effect.status) {
    case ValueEffect::Status::best:
    case ValueEffect::Status::same_plan:
    case ValueEffect::Status::done:
      object[energy ? "joules" : "makespan_s"] = effect.seconds;
      break;
    case ValueEffect::Status::at_least:
    case ValueEffect::Status::not_tried:
      object[energy ? "lower_bound_joules" : "lower_bound_s"] = effect.seconds;
      break;
    case ValueEffect::Status::infeasible:
    case ValueEffect::Status::failed:
      object["message"] = effect.message;
      break;
  }
  return object;
}

nlohmann::json sensitivity_json(const TuneResult& result) {
  nlohmann::json object = nlohmann::json::object();
  for (const ParameterEffect& parameter : effects_on_best(result)) {
    for (const ValueEffect& effect : parameter.values)
      object[parameter.name].push_back(value_json(effect, result.goal));
  }
  return object;
}

nlohmann::json comparisons_json(const TuneResult& result) {
  nlohmann::json object = nlohmann::json::object();
  for (const Comparisons& of : comparisons_elsewhere(result)) {
    object[of.name] = {
        {"count", of.count}, {"median_ratio", of.median_ratio}, {"largest_ratio", of.largest_ratio}};
  }
  return object;
}

/// What the report says of a value, without the value. The best's plan is the best's.
std::string effect_text(const ValueEffect& effect, Goal goal) {
  const char* const unit = unit_of(goal);
  switch (effect.status) {
    case ValueEffect::Status::best:
    case ValueEffect::Status::done:
      return fmt::format("{:.4g} {}", effect.seconds, unit);
    case ValueEffect::Status::same_plan:
      return "the same plan";
    case ValueEffect::Status::at_least:
      return fmt::format("at least {:.4g} {}", effect.seconds, unit);
    case ValueEffect::Status::not_tried:
      return effect.seconds > 0 ? fmt::format("not tried, at least {:.4g} {}", effect.seconds, unit)
                                : "not tried";
    case ValueEffect::Status::infeasible:
      return "does not fit";
    case ValueEffect::Status::failed:
      break;
  }
  return "failed";
}

constexpr std::size_t most_groups = 8;

/// Those that were not tried all with the least of their bounds: none is worth a place of its own.
std::vector<ValueEffect> with_common_bound(std::vector<ValueEffect> values) {
  double least_s = 0;
  for (ValueEffect& effect : values) {  // by increasing bounds
    if (effect.status != ValueEffect::Status::not_tried || effect.seconds == 0) continue;
    if (least_s == 0) least_s = effect.seconds;
    effect.seconds = least_s;
  }
  return values;
}

/// Values of which the report says the same are named together.
std::string effects_text(const TuneResult& result, const ParameterEffect& parameter) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const ValueEffect& effect : with_common_bound(parameter.values)) {
    std::string text = effect_text(effect, result.goal);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& of) { return of.first == text; });
    if (group == groups.end()) group = groups.insert(group, {std::move(text), Row{}});
    group->second.push_back(effect.value.empty() ? "-" : effect.value);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(most_groups, groups.size()); ++i) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ",
                        in_words(result, parameter.name, distinct(groups[i].second)), groups[i].first);
  }
  if (groups.size() > most_groups) text += fmt::format("; {} more", groups.size() - most_groups);
  return text;
}

constexpr std::uint64_t fewest_comparisons = 3;

std::string comparisons_text(const Comparisons& of) {
  return fmt::format("elsewhere x{:.3g} (median of {} comparisons), the largest x{:.3g}", of.median_ratio,
                     of.count, of.largest_ratio);
}

}  // namespace

std::string ranking_table(const TuneResult& result, std::size_t rows) {
  if (!result.best()) return nothing_done(result);
  const std::vector<Tie> ties = ties_of(result);
  const std::vector<std::string> names = varying_parameters(ties);
  std::vector<Row> table = {{"rank"}};
  table.front().insert(table.front().end(), names.begin(), names.end());
  table.front().push_back("time/s");
  if (joules_of(result.best()->outcome)) table.front().push_back("energy/J");
  table.front().push_back("/defaults");
  for (std::size_t i = 0; i < std::min(rows, ties.size()); ++i)
    table.push_back(row_of(result, ties[i], i + 1, names));
  const auto mixed = std::any_of(ties.begin(), ties.begin() + static_cast<std::ptrdiff_t>(table.size() - 1),
                                 [&](const Tie& tie) { return !has_all_combinations(tie, names); });
  return aligned(table) +
         (mixed ? fmt::format("rows with several values: candidates with the same {}, not all combinations\n",
                              result.goal == Goal::energy ? "energy" : "time")
                : "");
}

std::string ties_text(const TuneResult& result) {
  std::map<std::string, std::set<std::string>> values;
  for (const Candidate& candidate : result.same_as_best) {
    for (const auto& [name, value] : candidate) values[name].insert(value);
  }
  std::string text;
  std::size_t combinations = 1;
  for (const auto& [name, of_name] : values) {
    if (of_name.size() < 2) continue;
    combinations *= of_name.size();
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", name,
                        in_words(result, name, {of_name.begin(), of_name.end()}));
  }
  if (text.empty()) return {};
  text += ": the same plan";
  if (combinations > result.same_as_best.size())
    text += fmt::format(" in {} of {} combinations", result.same_as_best.size(), combinations);
  return text;
}

std::string gain_text(const TuneResult& result, double tie) {
  const Evaluation* const taken = result.chosen(tie);
  if (!taken || !result.defaults || !(cost_of(taken->outcome, result.goal) > 0)) return {};
  if (taken->candidate == result.defaults->candidate)
    return fmt::format("none that predictions can tell ({:.3g}%)", 100 * tie);
  const double ratio = cost_of(result.defaults->outcome, result.goal) / cost_of(taken->outcome, result.goal);
  if (result.goal == Goal::energy) return fmt::format("{:.3f} of the energy of the defaults", 1 / ratio);
  return fmt::format("{:.3f} times faster", ratio);
}

std::string effects_table(const TuneResult& result) {
  const std::vector<ParameterEffect> effects = effects_on_best(result);
  std::map<std::string, std::string> elsewhere;
  for (const Comparisons& of : comparisons_elsewhere(result)) {
    if (of.count >= fewest_comparisons) elsewhere[of.name] = comparisons_text(of);
  }
  std::size_t width = 0;
  for (const ParameterEffect& parameter : effects) width = std::max(width, parameter.name.size());
  std::string text;
  for (const ParameterEffect& parameter : effects) {
    text += fmt::format("{:<{}}  {}\n", parameter.name, width, effects_text(result, parameter));
    if (elsewhere.contains(parameter.name))
      text += fmt::format("{:<{}}  {}\n", "", width, elsewhere.at(parameter.name));
  }
  return text;
}

nlohmann::json to_json(const TuneResult& result) {
  return {{"best", result.best() ? short_json(*result.best()) : nlohmann::json()},
          {"defaults", result.defaults ? short_json(*result.defaults) : nlohmann::json()},
          {"candidates", result.candidates},
          {"evaluated", result.evaluated},
          {"proven", result.proven()},
          {"gap", result.gap ? nlohmann::json(*result.gap) : nlohmann::json()},
          {"stopped", result.stopped},
          {"infeasible", result.infeasible},
          {"failed", result.failed},
          {"from_history", result.from_history},
          {"end", end_name(result.end)},
          {"wall_s", result.wall_s},
          {"ranking", ranking_json(result)},
          {"sensitivity", sensitivity_json(result)},
          {"comparisons", comparisons_json(result)}};
}

std::string end_text(TuneEnd end) {
  switch (end) {
    case TuneEnd::complete:
      return "nothing is left";
    case TuneEnd::count:
      return "the count is reached";
    case TuneEnd::time:
      return "the time is over";
    case TuneEnd::interrupt:
      break;
  }
  return "interrupted";
}

std::string progress_text(const TuneProgress& progress) {
  std::string text = fmt::format("tune {}/{}", progress.evaluated, progress.total);
  if (progress.bounded) text = fmt::format("tune, bounds {}/{}", *progress.bounded, progress.total);
  if (progress.best_s) text += fmt::format(", best {:.4g} {}", *progress.best_s, unit_of(progress.goal));
  if (progress.left_s) text += fmt::format(", {} left", duration_text(*progress.left_s));
  return text;
}

}  // namespace foretile
