// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/program_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/one_line.hpp"
#include "base/quantity.hpp"
#include "tuner/report.hpp"

namespace foretile {

namespace {

std::vector<int> doublings(const NodeRange& range) {
  std::vector<int> numbers;
  for (std::int64_t nodes = range.first; nodes < range.last; nodes *= 2)
    numbers.push_back(static_cast<int>(nodes));
  numbers.push_back(range.last);
  return numbers;
}

/// Whether something fits on so many nodes; nothing: trials that did not end may.
std::optional<bool> fits(const std::vector<ProgramTrial>& trials, int nodes) {
  bool unknown = false;
  for (const ProgramTrial& trial : trials) {
    if (trial.candidate.nodes != nodes) continue;
    if (trial.fits()) return true;
    unknown = unknown || trial.failed;
  }
  if (unknown) return std::nullopt;
  return false;
}

/// Of the numbers of candidates_of(): the last that does not fit, before the first that does.
struct Between {
  int too_few = 0;
  std::optional<int> enough = {};
};

Between tried_between(const ProgramSpace& space, const std::vector<ProgramTrial>& trials) {
  Between between{space.nodes.first - 1, {}};
  for (const int nodes : doublings(space.nodes)) {
    const std::optional<bool> fit = fits(trials, nodes);
    if (!fit) break;
    if (*fit) {
      between.enough = nodes;
      break;
    }
    between.too_few = nodes;
  }
  return between;
}

/// On its nodes: seconds, or joules.
double cost_of(const ProgramTrial& trial, Goal goal) {
  return goal == Goal::energy ? trial.joules.value_or(std::numeric_limits<double>::infinity())
                              : *trial.makespan_s;
}

/// Those on so many nodes that were simulated, the least cost first, then as tried.
std::vector<const ProgramTrial*> by_cost(const std::vector<ProgramTrial>& trials, int nodes, Goal goal) {
  std::vector<const ProgramTrial*> of_nodes;
  for (const ProgramTrial& trial : trials) {
    if (trial.candidate.nodes == nodes && trial.makespan_s) of_nodes.push_back(&trial);
  }
  std::ranges::stable_sort(of_nodes, {}, [goal](const ProgramTrial* trial) { return cost_of(*trial, goal); });
  return of_nodes;
}

/// What commands plan unless something else is asked for: the first tiles, level by level.
const ProgramTrial* defaults_of(const std::vector<const ProgramTrial*>& of_nodes) {
  const auto later = [](const ProgramTrial* trial) {
    return std::pair(trial->candidate.mode != "levels", trial);  // they stand as tried
  };
  return *std::ranges::min_element(of_nodes, {}, later);
}

const ProgramTrial* taken_of(const std::vector<const ProgramTrial*>& of_nodes, double tie, Goal goal) {
  if (of_nodes.empty()) return nullptr;
  std::vector<SimulatedTime> simulated;
  for (const ProgramTrial* const trial : of_nodes)
    simulated.push_back({cost_of(*trial, goal), static_cast<double>(trial->effort)});
  const ProgramTrial* const defaults = defaults_of(of_nodes);
  const auto better = better_than_defaults(simulated, cost_of(*defaults, goal), tie);
  return better ? of_nodes[*better] : defaults;
}

/// Over the bound.
std::string gap_of(const ProgramTrial& trial) {
  return trial.bound_s > 0 ? fmt::format("{:.1f}%", 100 * (*trial.makespan_s / trial.bound_s - 1)) : "-";
}

/// What is generated on demand, and how many terms have strategies of their own.
std::string chosen_text(const ProgramTrial& trial) {
  std::string text =
      trial.on_demand.empty() ? "" : fmt::format("  on demand: {}", fmt::join(trial.on_demand, ", "));
  if (const auto terms = trial.strategies.size(); terms > 0)
    text += fmt::format("  strategies of their own: {} {}", terms, terms == 1 ? "term" : "terms");
  return text;
}

/// To be given to other commands, for the same plan.
std::string strategies_line(const ProgramTrial& trial) {
  if (trial.strategies.empty()) return "";
  std::string text = "its strategies    ";
  for (const auto& [term, strategy] : trial.strategies)
    text += fmt::format(" --set strategy.{}={}", term, strategy);
  return text + (trial.distribution == "round-robin" ? " --distribution round-robin\n" : "\n");
}

/// `energy`: with a column of joules.
std::string line_of(const ProgramTrial& trial, bool energy) {
  const ProgramCandidate& candidate = trial.candidate;
  std::string line = fmt::format("{:>5}  {:>4}  {:<6}", candidate.nodes, candidate.tile, candidate.mode);
  if (trial.makespan_s) {
    line += fmt::format("  {:>8.4g}  {:>10.4g}", *trial.makespan_s, trial.node_hours());
  } else {
    line += fmt::format("  {:>8}  {:>10}", "-", "-");
  }
  if (energy) line += fmt::format("  {:>9}", trial.joules ? fmt::format("{:.4g}", *trial.joules) : "-");
  line += fmt::format("  {:>7}", trial.makespan_s ? gap_of(trial) : "-");
  if (trial.fits())
    return line +
           fmt::format("  {:>8.1f}{}\n", static_cast<double>(trial.memory_bytes) / 1e9, chosen_text(trial));
  return line +
         fmt::format("  {}: {}\n", trial.failed ? "not finished" : "does not fit", one_line(trial.message));
}

std::string name_of(const ProgramTrial& trial) {
  return fmt::format("on {}, tiles of {}, mode {}{}", nodes_text(trial.candidate.nodes), trial.candidate.tile,
                     trial.candidate.mode, chosen_text(trial));
}

/// Where the one taken is not the fastest on its nodes.
std::string faster_line(const ProgramTuning& tuning, const ProgramTrial& taken) {
  const ProgramTrial& fastest = *tuning.fastest(taken.candidate.nodes);
  if (&fastest == &taken) return "";
  return fmt::format("                   equal within {:.3g}%: {:.4g} s with tiles of {}, mode {}\n",
                     100 * tuning.tie, *fastest.makespan_s, fastest.candidate.tile, fastest.candidate.mode);
}

bool has_joules(const ProgramTuning& tuning) {
  return std::ranges::any_of(tuning.trials,
                             [](const ProgramTrial& trial) { return trial.joules.has_value(); });
}

/// What an answer costs, and what limits it.
std::string cost_lines(const ProgramTuning& tuning, const ProgramTrial& trial) {
  std::string text =
      fmt::format("                   {:.4g} s, {:.4g} node-hours", *trial.makespan_s, trial.node_hours());
  if (trial.joules) text += fmt::format(", {}{}", tuning.about ? "about " : "", quantity(*trial.joules, "J"));
  text += fmt::format(", {} of a rank\n", quantity(static_cast<double>(trial.memory_bytes), "B"));
  if (!trial.limit.empty()) text += fmt::format("                   {}\n", trial.limit);
  return text;
}

/// The answers one below the other; what one costs is said once.
class Answers {
 public:
  explicit Answers(const ProgramTuning& tuning) : tuning_(tuning) {}

  std::string text;

  /// `more`: lines that belong to it alone.
  void add(const std::string& line, const ProgramTrial& trial, const std::string& more) {
    text += line + "\n" + strategies_line(trial) + more;
    if (std::ranges::find(explained_, &trial) == explained_.end()) text += cost_lines(tuning_, trial);
    explained_.push_back(&trial);
  }

 private:
  const ProgramTuning& tuning_;
  std::vector<const ProgramTrial*> explained_;
};

std::string answers_text(const ProgramTuning& tuning) {
  Answers answers(tuning);
  if (const ProgramTrial* const shortest = tuning.taken(Goal::time))
    answers.add(fmt::format("shortest time      {:.4g} s {}", *shortest->makespan_s, name_of(*shortest)),
                *shortest, faster_line(tuning, *shortest));
  if (const ProgramTrial* const cheapest = tuning.taken(Goal::node_hours))
    answers.add(fmt::format("fewest node-hours  {:.4g} {}", cheapest->node_hours(), name_of(*cheapest)),
                *cheapest, faster_line(tuning, *cheapest));
  if (const ProgramTrial* const least = has_joules(tuning) ? tuning.taken(Goal::energy) : nullptr)
    answers.add(fmt::format("least energy       {}{} {}", tuning.about ? "about " : "",
                            quantity(least->joules.value_or(0), "J"), name_of(*least)),
                *least, "");
  if (!tuning.fewest_nodes) return answers.text;
  const std::string fewest = fmt::format("fewest nodes       {}", *tuning.fewest_nodes);
  const ProgramTrial* const fastest = tuning.fastest(*tuning.fewest_nodes);
  if (!fastest) return answers.text + fewest + "\n";  // planned alone
  answers.add(fmt::format("{}, tiles of {}, mode {}{}", fewest, fastest->candidate.tile,
                          fastest->candidate.mode, chosen_text(*fastest)),
              *fastest, "");
  return answers.text;
}

}  // namespace

nlohmann::ordered_json json_of(const ProgramTrial& trial) {
  nlohmann::ordered_json row{{"nodes", trial.candidate.nodes}, {"tile", trial.candidate.tile},
                             {"mode", trial.candidate.mode},   {"makespan_s", nullptr},
                             {"bound_s", trial.bound_s},       {"node_hours", nullptr},
                             {"memory_bytes", nullptr}};
  if (trial.makespan_s) {
    row["makespan_s"] = *trial.makespan_s;
    row["node_hours"] = trial.node_hours();
    row["coarse"] = trial.coarse;
    if (!trial.limit.empty()) row[kLimitKey] = trial.limit;
  }
  if (trial.joules) row[kJoulesKey] = *trial.joules;
  if (trial.fits()) {
    row["memory_bytes"] = trial.memory_bytes;
    row[kEffort] = trial.effort;
    if (!trial.on_demand.empty()) row["on_demand"] = trial.on_demand;
    if (!trial.distribution.empty()) row["distribution"] = trial.distribution;
    for (const auto& [term, strategy] : trial.strategies) row["strategies"][term] = strategy;
  } else {
    row["message"] = trial.message;
  }
  return row;
}

Outcome outcome_of(const ProgramTrial& trial) {
  const auto status = trial.fits() ? Outcome::Status::done : Outcome::Status::infeasible;
  return {status, trial.makespan_s.value_or(0), trial.message, json_of(trial)};
}

ProgramTrial trial_of(const Evaluation& evaluation) {
  const Outcome& outcome = evaluation.outcome;
  const nlohmann::json& row = outcome.extra;
  ProgramTrial trial{program_candidate(evaluation.candidate), 0, {}, 0, outcome.message};
  trial.failed = outcome.status == Outcome::Status::failed;
  if (!outcome.done() && !row.contains("bound_s")) return trial;
  trial.bound_s = row.at("bound_s").get<double>();
  if (!outcome.done()) return trial;
  trial.memory_bytes = row.at("memory_bytes").get<std::int64_t>();
  if (!row.at("makespan_s").is_null()) trial.makespan_s = outcome.makespan_s;
  trial.joules = joules_of(outcome);
  trial.limit = row.value(kLimitKey, std::string());
  trial.coarse = row.value("coarse", false);
  trial.on_demand = row.value("on_demand", trial.on_demand);
  trial.distribution = row.at("distribution").get<std::string>();
  trial.effort = row.at(kEffort).get<std::int64_t>();
  const nlohmann::json strategies = row.value("strategies", nlohmann::json::object());
  for (const auto& [term, strategy] : strategies.items())
    trial.strategies.emplace_back(term, strategy.get<std::string>());
  return trial;
}

Candidate settings_of(const ProgramCandidate& candidate) {
  return {{"nodes", fmt::to_string(candidate.nodes)},
          {"tile", fmt::to_string(candidate.tile)},
          {"mode", candidate.mode}};
}

ProgramCandidate program_candidate(const Candidate& settings) {
  return {std::stoi(settings.at("nodes")), std::stoll(settings.at("tile")), settings.at("mode")};
}

std::vector<ProgramCandidate> candidates_of(const ProgramSpace& space) {
  std::vector<ProgramCandidate> all;
  for (const std::int64_t tile : space.tiles) {
    for (const std::string& mode : space.modes) {
      for (const int nodes : doublings(space.nodes)) all.push_back({nodes, tile, mode});
    }
  }
  return all;
}

const ProgramTrial* ProgramTuning::fastest(int nodes) const {
  const std::vector<const ProgramTrial*> of_nodes = by_cost(trials, nodes, Goal::time);
  return of_nodes.empty() ? nullptr : of_nodes.front();
}

const ProgramTrial* ProgramTuning::taken(Goal goal) const {
  const auto cost = [goal](const ProgramTrial& trial) {
    return goal == Goal::node_hours ? trial.node_hours() : cost_of(trial, goal);
  };
  const ProgramTrial* best = nullptr;
  int nodes = 0;
  for (const ProgramTrial& trial : trials) {  // by nodes
    if (std::exchange(nodes, trial.candidate.nodes) == trial.candidate.nodes) continue;
    const ProgramTrial* const of_nodes = taken_of(by_cost(trials, nodes, goal), tie, goal);
    if (of_nodes && (!best || cost(*of_nodes) < cost(*best))) best = of_nodes;
  }
  return best;
}

ProgramTuning conclude(const ProgramSpace& space, NodesTried tried, const TryNodes& try_nodes) {
  ProgramTuning all{std::move(tried.trials), {}, tried.end};
  auto [too_few, enough] = tried_between(space, all.trials);
  while (all.end == TuneEnd::complete && enough && *enough - too_few > 1) {
    const int middle = too_few + (*enough - too_few) / 2;
    NodesTried more = try_nodes(middle);
    all.end = more.end;
    std::ranges::move(more.trials, std::back_inserter(all.trials));
    const std::optional<bool> fit = fits(all.trials, middle);
    if (more.end != TuneEnd::complete && fit != true) break;
    if (!fit) enough.reset();
    if (enough) (*fit ? *enough : too_few) = middle;
  }
  all.fewest_nodes = enough;
  std::ranges::stable_sort(all.trials, {}, [](const ProgramTrial& trial) { return trial.candidate.nodes; });
  return all;
}

std::string text_of(const ProgramTuning& tuning) {
  const bool energy = has_joules(tuning);
  std::string text =
      fmt::format("{:>5}  {:>4}  {:<6}  {:>8}  {:>10}{}  {:>7}  {:>8}\n", "nodes", "tile", "mode", "time/s",
                  "node-hours", energy ? "   energy/J" : "", "over", "GB/rank");
  for (const ProgramTrial& trial : tuning.trials) text += line_of(trial, energy);
  text += "\n" + answers_text(tuning);
  if (const auto coarse = std::ranges::count_if(tuning.trials, &ProgramTrial::coarse); coarse > 0)
    text += fmt::format("coarse             {} of {}: so many products and messages take long in full\n",
                        coarse, tuning.trials.size());
  if (tuning.end != TuneEnd::complete)
    text += fmt::format("{}: not all was tried, and there may be better ones\n", end_text(tuning.end));
  return text;
}

nlohmann::ordered_json json_of(const ProgramTuning& tuning) {
  nlohmann::ordered_json all{{"trials", nlohmann::ordered_json::array()},
                             {"fewest_nodes", nullptr},
                             {"tie", tuning.tie},
                             {"shortest_time", nullptr},
                             {"fewest_node_hours", nullptr},
                             {"complete", tuning.end == TuneEnd::complete}};
  for (const ProgramTrial& trial : tuning.trials) all["trials"].push_back(json_of(trial));
  if (tuning.fewest_nodes) all["fewest_nodes"] = *tuning.fewest_nodes;
  if (const ProgramTrial* const shortest = tuning.taken(Goal::time))
    all["shortest_time"] = json_of(*shortest);
  if (const ProgramTrial* const cheapest = tuning.taken(Goal::node_hours))
    all["fewest_node_hours"] = json_of(*cheapest);
  if (has_joules(tuning)) {
    all["least_energy"] = json_of(*tuning.taken(Goal::energy));
    all["energy_is_guess"] = tuning.about;
  }
  return all;
}

}  // namespace foretile
