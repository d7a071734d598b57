// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/program_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/one_line.hpp"
#include "tuner/outcome.hpp"

namespace foretile {

namespace {

std::vector<int> doublings(const NodeRange& range) {
  std::vector<int> numbers;
  for (std::int64_t nodes = range.first; nodes < range.last; nodes *= 2)
    numbers.push_back(static_cast<int>(nodes));
  numbers.push_back(range.last);
  return numbers;
}

class Tuner {
 public:
  Tuner(const ProgramSpace& space, const TryProgram& try_program, const std::function<bool()>& goes_on)
      : space_(space), try_(try_program), goes_on_(goes_on) {}

  ProgramTuning tuned() {
    const std::vector<int> numbers = doublings(space_.nodes);
    for (const std::int64_t tile : space_.tiles) {
      for (const int nodes : numbers) {
        for (const std::string& mode : space_.modes) try_one({nodes, tile, mode}, true);
      }
    }
    int too_few = space_.nodes.first - 1;
    for (const int nodes : numbers) {
      if (all_.fewest_nodes) break;
      if (fits(nodes)) {
        all_.fewest_nodes = nodes;
      } else {
        too_few = nodes;
      }
    }
    while (all_.complete && all_.fewest_nodes && *all_.fewest_nodes - too_few > 1) {
      const int middle = too_few + (*all_.fewest_nodes - too_few) / 2;
      (fits_when_tried(middle) ? *all_.fewest_nodes : too_few) = middle;
    }
    std::ranges::stable_sort(all_.trials, {},
                             [](const ProgramTrial& trial) { return trial.candidate.nodes; });
    return std::move(all_);
  }

 private:
  /// Unless time is up.
  void try_one(const ProgramCandidate& candidate, bool simulates) {
    if (!all_.trials.empty() && !goes_on_()) all_.complete = false;
    if (!all_.complete) return;
    std::optional<ProgramTrial> trial = try_(candidate, simulates);
    all_.complete = trial.has_value();
    if (trial) all_.trials.push_back(*std::move(trial));
  }

  /// Whether something that was tried does.
  bool fits(int nodes) const {
    return std::ranges::any_of(all_.trials, [nodes](const ProgramTrial& trial) {
      return trial.candidate.nodes == nodes && trial.fits();
    });
  }

  /// Plans candidates until one fits.
  bool fits_when_tried(int nodes) {
    for (const std::int64_t tile : space_.tiles) {
      for (const std::string& mode : space_.modes) {
        try_one({nodes, tile, mode}, false);
        if (fits(nodes)) return true;
      }
    }
    return false;
  }

  const ProgramSpace& space_;
  const TryProgram& try_;
  const std::function<bool()>& goes_on_;
  ProgramTuning all_;
};

/// Those on so many nodes that were simulated, fastest first, then as tried.
std::vector<const ProgramTrial*> by_time(const std::vector<ProgramTrial>& trials, int nodes) {
  std::vector<const ProgramTrial*> of_nodes;
  for (const ProgramTrial& trial : trials) {
    if (trial.candidate.nodes == nodes && trial.makespan_s) of_nodes.push_back(&trial);
  }
  std::ranges::stable_sort(of_nodes, {}, [](const ProgramTrial* trial) { return *trial->makespan_s; });
  return of_nodes;
}

/// What commands plan unless told otherwise: the first tiles, level by level.
const ProgramTrial* defaults_of(const std::vector<const ProgramTrial*>& of_nodes) {
  const auto later = [](const ProgramTrial* trial) {
    return std::pair(trial->candidate.mode != "levels", trial);  // they stand as tried
  };
  return *std::ranges::min_element(of_nodes, {}, later);
}

const ProgramTrial* taken_of(const std::vector<const ProgramTrial*>& of_nodes, double tie) {
  if (of_nodes.empty()) return nullptr;
  std::vector<SimulatedTime> simulated;
  for (const ProgramTrial* const trial : of_nodes)
    simulated.push_back({*trial->makespan_s, static_cast<double>(trial->effort)});
  const ProgramTrial* const defaults = defaults_of(of_nodes);
  const auto better = better_than_defaults(simulated, defaults->makespan_s, tie);
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

std::string line_of(const ProgramTrial& trial) {
  const ProgramCandidate& candidate = trial.candidate;
  std::string line = fmt::format("{:>5}  {:>4}  {:<6}", candidate.nodes, candidate.tile, candidate.mode);
  if (trial.makespan_s) {
    line += fmt::format("  {:>8.4g}  {:>10.4g}  {:>7}", *trial.makespan_s, trial.node_hours(), gap_of(trial));
  } else {
    line += fmt::format("  {:>8}  {:>10}  {:>7}", "-", "-", "-");
  }
  if (trial.fits())
    return line +
           fmt::format("  {:>8.1f}{}\n", static_cast<double>(trial.memory_bytes) / 1e9, chosen_text(trial));
  return line + fmt::format("  does not fit: {}\n", one_line(trial.message));
}

std::string name_of(const ProgramTrial& trial) {
  return fmt::format("on {}, tiles of {}, mode {}{}", nodes_text(trial.candidate.nodes), trial.candidate.tile,
                     trial.candidate.mode, chosen_text(trial));
}

/// Where the one taken is not the fastest on its nodes.
std::string faster_line(const ProgramTuning& tuning, const ProgramTrial& taken) {
  const ProgramTrial& fastest = *tuning.fastest(taken.candidate.nodes);
  if (&fastest == &taken) return "";
  return fmt::format(
      "                   predictions cannot tell {:.4g} s with tiles of {}, mode {}, from it ({:.3g}%)\n",
      *fastest.makespan_s, fastest.candidate.tile, fastest.candidate.mode, 100 * tuning.tie);
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
  }
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

ProgramTrial trial_of(const nlohmann::ordered_json& row) {
  ProgramTrial trial{
      {row.at("nodes"), row.at("tile"), row.at("mode")}, 0, {}, row.at("bound_s"), row.value("message", "")};
  if (!row.at("makespan_s").is_null()) trial.makespan_s = row.at("makespan_s");
  if (!row.at("memory_bytes").is_null()) trial.memory_bytes = row.at("memory_bytes");
  trial.on_demand = row.value("on_demand", row.value("made", trial.on_demand));
  trial.distribution = row.value("distribution", "");
  trial.effort = row.value(kEffort, std::int64_t{0});
  if (row.contains("strategies")) {
    for (const auto& [term, strategy] : row.at("strategies").items())
      trial.strategies.emplace_back(term, strategy);
  }
  return trial;
}

const ProgramTrial* ProgramTuning::fastest(int nodes) const {
  const std::vector<const ProgramTrial*> of_nodes = by_time(trials, nodes);
  return of_nodes.empty() ? nullptr : of_nodes.front();
}

const ProgramTrial* ProgramTuning::taken(Goal goal) const {
  const auto cost = [goal](const ProgramTrial& trial) {
    return goal == Goal::node_hours ? trial.node_hours() : *trial.makespan_s;
  };
  const ProgramTrial* best = nullptr;
  int nodes = 0;
  for (const ProgramTrial& trial : trials) {  // by nodes
    if (std::exchange(nodes, trial.candidate.nodes) == trial.candidate.nodes) continue;
    const ProgramTrial* const of_nodes = taken_of(by_time(trials, nodes), tie);
    if (of_nodes && (!best || cost(*of_nodes) < cost(*best))) best = of_nodes;
  }
  return best;
}

ProgramTuning tune_program(const ProgramSpace& space, const TryProgram& try_program,
                           const std::function<bool()>& goes_on) {
  return Tuner(space, try_program, goes_on).tuned();
}

std::string text_of(const ProgramTuning& tuning) {
  std::string text = fmt::format("{:>5}  {:>4}  {:<6}  {:>8}  {:>10}  {:>7}  {:>8}\n", "nodes", "tile",
                                 "mode", "time/s", "node-hours", "gap", "GB/rank");
  for (const ProgramTrial& trial : tuning.trials) text += line_of(trial);
  text += "\n";
  if (const ProgramTrial* const shortest = tuning.taken(Goal::time))
    text += fmt::format("shortest time      {:.4g} s {}\n{}{}", *shortest->makespan_s, name_of(*shortest),
                        strategies_line(*shortest), faster_line(tuning, *shortest));
  if (const ProgramTrial* const cheapest = tuning.taken(Goal::node_hours))
    text += fmt::format("fewest node-hours  {:.4g} {}\n{}{}", cheapest->node_hours(), name_of(*cheapest),
                        strategies_line(*cheapest), faster_line(tuning, *cheapest));
  if (tuning.fewest_nodes) text += fmt::format("fewest nodes       {}\n", *tuning.fewest_nodes);
  if (!tuning.complete) text += "time was up: not all was tried, and there may be better ones\n";
  return text;
}

nlohmann::ordered_json json_of(const ProgramTuning& tuning) {
  nlohmann::ordered_json all{{"trials", nlohmann::ordered_json::array()},
                             {"fewest_nodes", nullptr},
                             {"tie", tuning.tie},
                             {"shortest_time", nullptr},
                             {"fewest_node_hours", nullptr},
                             {"complete", tuning.complete}};
  for (const ProgramTrial& trial : tuning.trials) all["trials"].push_back(json_of(trial));
  if (tuning.fewest_nodes) all["fewest_nodes"] = *tuning.fewest_nodes;
  if (const ProgramTrial* const shortest = tuning.taken(Goal::time))
    all["shortest_time"] = json_of(*shortest);
  if (const ProgramTrial* const cheapest = tuning.taken(Goal::node_hours))
    all["fewest_node_hours"] = json_of(*cheapest);
  return all;
}

}  // namespace foretile
