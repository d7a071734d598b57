// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/sensitivity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <variant>

#include "apps/foretile/evaluate_all.hpp"
#include "apps/foretile/what_if.hpp"
#include "apps/quantities.hpp"
#include "base/error.hpp"
#include "platforms/keys.hpp"
#include "platforms/scaled.hpp"

namespace foretile {

namespace {

/// Candidates have the number of a row (kNoRow: none), and the factor of its figures.
constexpr const char* kRow = "row";
constexpr const char* kNoRow = "none";
constexpr const char* kFactor = "factor";
constexpr const char* kLower = "lower";
constexpr const char* kHigher = "higher";

/// Changes of the time that are smaller are none.
constexpr double kNoEffect = 5e-4;

/// More products are simulated coarsely: there are dozens of simulations.
constexpr std::int64_t kMostInFull = 50'000;

void sort_guesses(Sensitivity& found, const Case& the_case, const PlannedWork& work) {
  SensitivityRow bandwidths{"all bandwidths", "", {}};
  for (const std::string& key : the_case.guesses) {
    if (!may_count(key, work)) {
      found.without_role.push_back(key);
    } else if (!can_scale(the_case.platform, key)) {
      found.not_varied.push_back(key);
    } else {
      found.rows.push_back({key, figure_in_file(the_case.platform, key), {key}});
      if (key.ends_with("bandwidth")) bandwidths.keys.push_back(key);
    }
  }
  if (bandwidths.keys.size() > 1) found.rows.push_back(std::move(bandwidths));
}

std::vector<Candidate> candidates_of(const Sensitivity& found) {
  std::vector<Candidate> candidates;
  for (std::size_t row = 0; row < found.rows.size(); ++row) {
    for (const char* const factor : {kLower, kHigher})
      candidates.push_back({{kRow, fmt::to_string(row)}, {kFactor, factor}});
  }
  candidates.push_back({{kRow, kNoRow}, {kFactor, kLower}});
  return candidates;
}

void take(Sensitivity& found, const Evaluation& evaluation) {
  const auto& [candidate, outcome, wall_s] = evaluation;
  if (candidate.at(kRow) == kNoRow) {
    if (!outcome.done()) throw WorkError("--sensitivity: the unchanged machine: " + outcome.message);
    found.makespan_s = outcome.makespan_s;
    return;
  }
  SensitivityRow& row = found.rows[std::stoul(candidate.at(kRow))];
  if (!outcome.done())
    row.refusal = outcome.message;
  else
    (candidate.at(kFactor) == kLower ? row.lower_s : row.higher_s) = outcome.makespan_s;
}

/// Memory and counts: a plan is made for them.
bool decides_the_plan(const std::string& path) {
  const PlatformKey& key = *find_platform_key(path);
  Platform unused;
  return key.dimension == Dimension::bytes || std::holds_alternative<int*>(key.slots(unused).front());
}

/// The plan stays, since another one would hide what the figure does; it is made again where it must be.
double changed_s(const Sensitivity& found, const SensitivityRow& row, double factor, const Case& the_case,
                 const PlannedWork& work) {
  SimulationOptions options;
  options.engine = EngineChoice::fluid;
  Platform platform = scaled(the_case.platform, row.keys, factor);
  if (std::ranges::any_of(row.keys, decides_the_plan))
    return makespan_on(std::move(platform), the_case, work, options, found.in_full);
  return makespan_of_plan(std::move(platform), work, options, found.in_full);
}

CostFunction cost_of(const Sensitivity& found, const Case& the_case, const PlannedWork& work) {
  return [&](const Candidate& candidate) {
    const SensitivityRow unchanged;
    const bool changes = candidate.at(kRow) != kNoRow;
    const SensitivityRow& row = changes ? found.rows[std::stoul(candidate.at(kRow))] : unchanged;
    const double change = candidate.at(kFactor) == kLower ? -kGuessChange : kGuessChange;
    const double seconds = changed_s(found, row, 1 + change, the_case, work);
    return Outcome{Outcome::Status::done, seconds, {}, {}};
  };
}

/// "+12.3%".
std::string change_text(const std::optional<double>& seconds, double unchanged_s) {
  if (!seconds) return "refused";
  constexpr double kPercent = 100;
  if (std::abs(*seconds / unchanged_s - 1) < kNoEffect) return "0.0%";
  return fmt::format("{:+.1f}%", kPercent * (*seconds / unchanged_s - 1));
}

std::string list_text(const char* title, const std::vector<std::string>& keys) {
  return keys.empty() ? std::string() : fmt::format("{}: {}\n", title, fmt::join(keys, ", "));
}

}  // namespace

double Sensitivity::effect(const SensitivityRow& row) const {
  double most = 0;
  for (const std::optional<double>& seconds : {row.lower_s, row.higher_s})
    if (seconds) most = std::max(most, std::abs(*seconds / makespan_s - 1));
  return most;
}

Sensitivity sensitivity(const Case& the_case, const PlannedWork& work, ProgressLine& line) {
  Sensitivity found{the_case.problem.name, the_case.platform.name, work.machine.nodes()};
  found.in_full = work.summary.gemms <= kMostInFull;
  sort_guesses(found, the_case, work);
  const CostFunction cost = cost_of(found, the_case, work);
  for (const Evaluation& evaluation : evaluate_all(candidates_of(found), cost, line, "sensitivity"))
    take(found, evaluation);
  std::ranges::stable_sort(found.rows, std::greater{},
                           [&](const SensitivityRow& row) { return found.effect(row); });
  return found;
}

std::string sensitivity_text(const Sensitivity& found) {
  std::string text = fmt::format(
      "{} on {} {} of {}: {}{}\n", found.problem, found.nodes, found.nodes == 1 ? "node" : "nodes",
      found.platform, quantity(found.makespan_s, "s"), found.in_full ? "" : ", simulated coarsely");
  if (found.rows.empty()) text += "no guess of the platform changes the time\n";
  std::size_t width = 0, values = 0;
  std::vector<std::string> without;
  for (const SensitivityRow& row : found.rows) {
    width = std::max(width, row.figure.size());
    values = std::max(values, row.value.size());
  }
  if (!found.rows.empty())
    text += fmt::format(
        "change of the time with each guess 25% lower and higher, of the same plan\n\n  {:<{}}  {:>{}} {:>8} "
        "{:>8}\n",
        "guess", width, "value", std::max<std::size_t>(values, 5), "-25%", "+25%");
  for (const SensitivityRow& row : found.rows) {
    if (found.effect(row) < kNoEffect && row.refusal.empty()) {
      without.push_back(row.figure);
      continue;
    }
    text += fmt::format("  {:<{}}  {:>{}} {:>8} {:>8}\n", row.figure, width, row.value,
                        std::max<std::size_t>(values, 5), change_text(row.lower_s, found.makespan_s),
                        change_text(row.higher_s, found.makespan_s));
    if (!row.refusal.empty()) text += fmt::format("    refused: {}\n", row.refusal);
  }
  text += "\n";
  text += list_text("no effect", without);
  text += list_text("not used by the plan", found.without_role);
  return text + list_text("not varied", found.not_varied);
}

nlohmann::ordered_json sensitivity_json(const Sensitivity& found) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto seconds = [](const std::optional<double>& time) {
    return time ? nlohmann::ordered_json(*time) : nlohmann::ordered_json();
  };
  for (const SensitivityRow& row : found.rows) {
    rows.push_back({{"figure", row.figure},
                    {"value", row.value},
                    {"keys", row.keys},
                    {"lower_s", seconds(row.lower_s)},
                    {"higher_s", seconds(row.higher_s)},
                    {"effect", found.effect(row)},
                    {"refusal", row.refusal}});
  }
  return {{"problem", found.problem},      {"nodes", found.nodes}, {"makespan_s", found.makespan_s},
          {"in_full", found.in_full},      {"rows", rows},         {"not_used", found.without_role},
          {"not_varied", found.not_varied}};
}

}  // namespace foretile
