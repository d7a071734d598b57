#include "tuner/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/progress.hpp"

namespace foretile {

namespace {

using Row = std::vector<std::string>;

std::size_t done_count(const TuneResult& result) {
  const auto end = std::find_if(result.ranking.begin(), result.ranking.end(),
                                [](const Evaluation& evaluation) { return !evaluation.outcome.done(); });
  return static_cast<std::size_t>(end - result.ranking.begin());
}

/// name -> value -> effect. The ranking runs from fast to slow, so a value's first candidate is its best.
std::map<std::string, std::map<std::string, ValueEffect>> effects(const TuneResult& result) {
  std::map<std::string, std::map<std::string, ValueEffect>> by_name;
  for (std::size_t i = 0; i < done_count(result); ++i) {
    const Evaluation& evaluation = result.ranking[i];
    for (const auto& [name, value] : evaluation.candidate) {
      auto& effect = by_name[name]
                         .try_emplace(value, ValueEffect{value, evaluation.outcome.makespan_s, 0})
                         .first->second;
      ++effect.candidates;
    }
  }
  return by_name;
}

std::string value_or_dash(const Candidate& candidate, const std::string& name) {
  const auto found = candidate.find(name);
  return found == candidate.end() ? "-" : found->second;
}

/// In alphabetical order; a parameter that only some candidates have varies, too.
std::vector<std::string> varying_parameters(const TuneResult& result) {
  std::map<std::string, std::map<std::string, ValueEffect>> by_name = effects(result);
  std::vector<std::string> names;
  for (const auto& [name, by_value] : by_name) {
    std::uint64_t having = 0;
    for (const auto& [value, effect] : by_value) having += effect.candidates;
    if (by_value.size() > 1 || having < done_count(result)) names.push_back(name);
  }
  return names;
}

std::string ratio_text(double seconds, const std::optional<Evaluation>& defaults) {
  if (!defaults || defaults->outcome.makespan_s == 0) return "-";
  return fmt::format("{:.3f}", seconds / defaults->outcome.makespan_s);
}

Row row_of(const TuneResult& result, std::size_t rank, const std::vector<std::string>& names) {
  const Evaluation& evaluation = result.ranking[rank];
  const bool is_default = result.defaults && evaluation.candidate == result.defaults->candidate;
  Row row = {fmt::format("{}{}", is_default ? "*" : "", rank + 1)};
  for (const std::string& name : names) row.push_back(value_or_dash(evaluation.candidate, name));
  row.push_back(fmt::format("{:.4g}", evaluation.outcome.makespan_s));
  row.push_back(ratio_text(evaluation.outcome.makespan_s, result.defaults));
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
  if (result.ranking.empty()) return "no candidate was evaluated\n";
  const Outcome& first = result.ranking.front().outcome;
  return fmt::format("none of {} candidates could be rehearsed; the first is {}: {}\n", result.evaluated,
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
  return {{"parameters", evaluation.candidate}, {"makespan_s", evaluation.outcome.makespan_s}};
}

nlohmann::json ranking_json(const TuneResult& result) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(10, done_count(result)); ++i)
    list.push_back(short_json(result.ranking[i]));
  return list;
}

nlohmann::json sensitivity_json(const TuneResult& result) {
  nlohmann::json object = nlohmann::json::object();
  for (const ParameterEffect& parameter : sensitivity(result)) {
    for (const ValueEffect& effect : parameter.values) {
      object[parameter.name].push_back(
          {{"value", effect.value}, {"best_s", effect.best_s}, {"candidates", effect.candidates}});
    }
  }
  return object;
}

}  // namespace

double ParameterEffect::ratio() const {
  const double best = values.front().best_s;
  const double worst = values.back().best_s;
  if (best == worst) return 1;
  return best > 0 ? worst / best : std::numeric_limits<double>::infinity();
}

std::vector<ParameterEffect> sensitivity(const TuneResult& result) {
  std::vector<ParameterEffect> parameters;
  for (const auto& [name, by_value] : effects(result)) {
    if (by_value.size() < 2) continue;
    ParameterEffect parameter{name, {}};
    for (const auto& [value, effect] : by_value) parameter.values.push_back(effect);
    std::stable_sort(parameter.values.begin(), parameter.values.end(),
                     [](const ValueEffect& a, const ValueEffect& b) { return a.best_s < b.best_s; });
    parameters.push_back(std::move(parameter));
  }
  std::stable_sort(parameters.begin(), parameters.end(),
                   [](const ParameterEffect& a, const ParameterEffect& b) { return a.ratio() > b.ratio(); });
  return parameters;
}

std::string ranking_table(const TuneResult& result, std::size_t rows) {
  if (!result.best()) return nothing_done(result);
  const std::vector<std::string> names = varying_parameters(result);
  std::vector<Row> table = {{"rank"}};
  table.front().insert(table.front().end(), names.begin(), names.end());
  table.front().insert(table.front().end(), {"time/s", "/defaults"});
  for (std::size_t i = 0; i < std::min(rows, done_count(result)); ++i)
    table.push_back(row_of(result, i, names));
  return aligned(table);
}

std::string ties_text(const TuneResult& result) {
  std::map<std::string, std::set<std::string>> values;
  for (const Candidate& candidate : result.same_as_best) {
    for (const auto& [name, value] : candidate) values[name].insert(value);
  }
  std::string text;
  for (const auto& [name, of_name] : values) {
    if (of_name.size() < 2) continue;
    text += fmt::format("{} {} {}", text.empty() ? "the same plan:" : ";", name, fmt::join(of_name, ", "));
  }
  return text;
}

std::string sensitivity_table(const TuneResult& result, std::size_t values) {
  std::vector<Row> table;
  for (const ParameterEffect& parameter : sensitivity(result)) {
    std::string line;
    for (std::size_t i = 0; i < std::min(values, parameter.values.size()); ++i) {
      const ValueEffect& effect = parameter.values[i];
      line += fmt::format("{}{}: {:.4g} s ({})", i == 0 ? "" : ", ", effect.value, effect.best_s,
                          effect.candidates);
    }
    if (parameter.values.size() > values) line += fmt::format(", {} more", parameter.values.size() - values);
    table.push_back({parameter.name, fmt::format("x{:.3f}", parameter.ratio()), std::move(line)});
  }
  std::string text;
  std::size_t width = 0;
  for (const Row& row : table) width = std::max(width, row[0].size());
  for (const Row& row : table) text += fmt::format("{:<{}}  {}  {}\n", row[0], width, row[1], row[2]);
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
          {"sensitivity", sensitivity_json(result)}};
}

std::string progress_text(const TuneProgress& progress) {
  std::string text = fmt::format("tune {}/{}", progress.evaluated, progress.total);
  if (progress.bounded) text = fmt::format("tune, bounds {}/{}", *progress.bounded, progress.total);
  if (progress.best_s) text += fmt::format(", best {:.4g} s", *progress.best_s);
  if (progress.left_s) text += fmt::format(", {} left", duration_text(*progress.left_s));
  return text;
}

}  // namespace foretile
