// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/tune_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "apps/foretile/candidates.hpp"
#include "apps/foretile/engine_times.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/program_trials.hpp"
#include "apps/foretile/tune_machine.hpp"
#include "apps/foretile/tune_program_view.hpp"
#include "apps/program.hpp"
#include "apps/quantities.hpp"
#include "apps/resources.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "base/time_budget.hpp"
#include "planner/program/plan_in_slices.hpp"
#include "planner/program/program_file.hpp"
#include "platforms/guesses.hpp"
#include "simulator/reference_engine.hpp"
#include "tuner/history.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/program_search.hpp"
#include "tuner/report.hpp"
#include "tuner/tune.hpp"

namespace foretile {

namespace {

Space space_of(const ProgramSpace& space, const std::vector<ProgramCandidate>& candidates) {
  Parameter nodes{"nodes", {}}, tile{"tile", {}};
  for (const ProgramCandidate& candidate : candidates) {
    const std::string number = fmt::to_string(candidate.nodes);
    if (std::ranges::find(nodes.values, number) == nodes.values.end()) nodes.values.push_back(number);
  }
  for (const std::int64_t extent : space.tiles) tile.values.push_back(fmt::to_string(extent));
  return Space({nodes, tile, {"mode", space.modes}});
}

TuneResult tune_candidates(TuneOptions options, const std::vector<ProgramCandidate>& candidates,
                           ProgramTrials& trials, bool simulates, ProgressLine& line) {
  options.search = "exhaustive";
  options.first.clear();
  for (const ProgramCandidate& candidate : candidates) options.first.push_back(settings_of(candidate));
  const CostFunction cost = [&](const Candidate& candidate) {
    return outcome_of(trials(program_candidate(candidate), simulates));
  };
  return tune(options, cost, [&](const TuneProgress& progress) { line.show(progress_text(progress)); });
}

ProgramTrial checked_trial(const Evaluation& evaluation, const TuneOptions& options) {
  try {
    return trial_of(evaluation);
  } catch (const nlohmann::json::exception&) {
    throw input_error(place_in_history(options.history, evaluation.candidate), "no trial of a program",
                      "one that foretile wrote", "remove this line or use another --history file");
  }
}

/// Those that ended, in the order of the candidates.
NodesTried trials_of(const TuneResult& result, const std::vector<ProgramCandidate>& candidates,
                     const TuneOptions& options) {
  std::map<Candidate, const Evaluation*> by_candidate;
  for (const Evaluation& evaluation : result.ranking) by_candidate[evaluation.candidate] = &evaluation;
  NodesTried tried{{}, result.end};
  for (const ProgramCandidate& candidate : candidates) {
    if (const auto ended = by_candidate.find(settings_of(candidate)); ended != by_candidate.end())
      tried.trials.push_back(checked_trial(*ended->second, options));
  }
  return tried;
}

/// Largest tiles first, until one of a size fits. `signal`: that interrupted.
NodesTried try_nodes(int nodes, const ProgramSpace& space, const TuneOptions& options, ProgramTrials& trials,
                     ProgressLine& line, int& signal) {
  NodesTried all;
  for (const std::int64_t tile : space.tiles) {
    const ProgramSpace one{{nodes, nodes}, {tile}, space.modes};
    const std::vector<ProgramCandidate> candidates = candidates_of(one);
    TuneOptions plans;
    plans.space = space_of(one, candidates);
    plans.budget = plans.latest = options.budget;
    plans.limits = options.limits;
    const TuneResult result = tune_candidates(plans, candidates, trials, false, line);
    NodesTried of_tile = trials_of(result, candidates, plans);
    std::ranges::move(of_tile.trials, std::back_inserter(all.trials));
    all.end = of_tile.end;
    signal = result.signal;
    if (all.end != TuneEnd::complete || std::ranges::any_of(all.trials, &ProgramTrial::fits)) break;
  }
  return all;
}

/// What is taken, planned again where it is needed: trials are planned in other processes.
class Taken {
 public:
  Taken(const TuneArguments& arguments, ProgramTrials& trials, const ProgramTrial& trial)
      : arguments_(arguments), trials_(trials), trial_(trial) {}

  void store(ProgressLine& line) {
    line.show("plan");
    save_program_file(arguments_.output, trials_.file_of(trial_, planned()));
  }

  /// `trial_s`: what the trial took; planning it again takes no longer.
  EngineTimes engine_times(const TimeBudget& latest, double trial_s, const InterruptGuard& interrupt,
                           ProgressLine& line) {
    EngineTimes times = by_simgrid_of(latest, trial_s, interrupt, line);
    times.fluid_s = trial_.makespan_s;
    return times;
  }

 private:
  const SlicedPlan& planned() {
    if (!planned_) planned_ = trials_.plan(trial_.candidate);
    return *planned_;
  }

  EngineTimes by_simgrid_of(const TimeBudget& latest, double trial_s, const InterruptGuard& interrupt,
                            ProgressLine& line) {
    if (arguments_.engine != EngineChoice::automatic) return {};
    if (!reference_engine()) return by_simgrid({}, 0, 0);  // says so
    if (!planned_ && trial_s > latest.left()) return {.left_out = "the time is over"};
    line.show("plan");
    const PlannedWork& work = planned().plan.work;
    line.show("simulate by SimGrid");
    const auto stop = [&] { return latest.over() || interrupt.signal() != 0; };
    EngineTimes times =
        by_simgrid({&work}, arguments_.tune.seed, std::min(kMostSimgridSeconds, latest.left()), stop);
    if (interrupt.signal() != 0) times.left_out = end_text(TuneEnd::interrupt);
    return times;
  }

  const TuneArguments& arguments_;
  ProgramTrials& trials_;
  const ProgramTrial& trial_;
  std::optional<SlicedPlan> planned_;
};

/// Where nothing can be planned since settings are wrong, which no other machine or tiles change.
void require_settings(const TuneResult& result) {
  for (const Evaluation& evaluation : result.ranking) {
    const Outcome& outcome = evaluation.outcome;
    if (outcome.status == Outcome::Status::infeasible && outcome.extra.empty())
      throw InputError(outcome.message);
  }
}

/// Why there is nothing to take.
[[noreturn]] void refuse(const ProgramTuning& tuning) {
  const auto failed = std::ranges::count_if(tuning.trials, &ProgramTrial::failed);
  if (failed > 0 && failed == std::ssize(tuning.trials))
    throw WorkError("no trial was finished: give a longer --evaluation-limit, or a smaller program",
                    HelpPage::budget);
  if (tuning.end == TuneEnd::complete)
    throw WorkError("nothing fits: use more nodes, or smaller tiles", HelpPage::memory);
  const char* const more = tuning.end == TuneEnd::count ? "--count" : "--budget";
  throw WorkError(tuning.trials.empty()
                      ? fmt::format("nothing was tried: give more {}", more)
                      : fmt::format("nothing that was tried fits: give more {}, or use more nodes", more),
                  HelpPage::budget);
}

void print_table(const TuneArguments& arguments, const ProgramSpace& space, const ProgramTuning& tuning,
                 const ProgramTrials& trials, const std::vector<ExachemTime>& exachem) {
  fmt::print("{}", head_text(arguments, space.tiles.front()));
  if (arguments.program.tiles.empty())
    fmt::print("tiles, as --tile gives none: {}\n", fmt::join(space.tiles, ", "));
  fmt::print("{}{}", text_of(tuning), exachem_text(exachem, tuning));
  if (std::ranges::any_of(tuning.trials, [](const ProgramTrial& t) { return !t.on_demand.empty(); }))
    fmt::print("slices generated   {}\n", generation_rate_text(trials.platform()));
  std::fflush(stdout);
}

nlohmann::ordered_json json_of(const TuneArguments& arguments, const ProgramSpace& space,
                               const ProgramTuning& tuning, const ProgramTrial* trial,
                               const std::optional<EngineTimes>& times,
                               const std::vector<ExachemTime>& exachem) {
  nlohmann::ordered_json json = json_of(tuning);
  if (!exachem.empty()) json["exachem"] = exachem_json(exachem);
  if (arguments.program.molecule) json["molecule"] = molecule_json(*arguments.program.molecule);
  json["tiles"] = space.tiles;
  json["goal"] = arguments.goal;
  if (trial) json["taken"] = json_of(*trial);
  if (times) add_engine_times(json, *times);
  if (trial && !arguments.output.empty()) json["file"] = arguments.output;
  return json;
}

/// Stores the plan and simulates it by SimGrid. The signal that came meanwhile, or 0.
int finish(const TuneArguments& arguments, const TuneOptions& options, ProgramTrials& trials,
           const ProgramTrial& trial, double trial_s, std::optional<EngineTimes>& times, ProgressLine& line) {
  const InterruptGuard interrupt;
  Taken taken(arguments, trials, trial);
  if (!arguments.output.empty()) taken.store(line);
  if (interrupt.signal() == 0) times = taken.engine_times(options.latest, trial_s, interrupt, line);
  erase_progress();
  return interrupt.signal();
}

double tie_of(const TuneArguments& arguments, const ProgramTrials& trials) {
  return arguments.tie.value_or(foretile::tie_of(trials.platform().calibration.error));
}

/// Why nothing is taken.
std::string refusal_of(const ProgramTuning& tuning) {
  for (const ProgramTrial& trial : tuning.trials) {
    if (!trial.fits() && !trial.message.empty()) return trial.message;
  }
  return "nothing was finished";
}

ProgramOnNodes tune_on(int nodes, const TuneArguments& arguments, TuneOptions options, ProgramTrials& trials,
                       const ProgramSpace& of_all, ProgressLine& line, int& signal) {
  ProgramOnNodes found{nodes, {}, {}};
  ProgramSpace space = of_all;
  space.nodes = {nodes, nodes};
  const std::vector<ProgramCandidate> candidates = candidates_of(space);
  options.space = space_of(space, candidates);
  try {
    trials.machine_of(nodes);  // throws where the platform has fewer
    const TuneResult result = tune_candidates(options, candidates, trials, true, line);
    signal = result.signal;
    ProgramTuning tuning{
        trials_of(result, candidates, options).trials, {}, result.end, tie_of(arguments, trials)};
    if (const ProgramTrial* const trial = tuning.taken(Goal::time)) {
      found.taken = *trial;
    } else {
      found.message = refusal_of(tuning);
    }
  } catch (const InputError& error) {
    found.message = error.what();
  }
  return found;
}

}  // namespace

std::vector<ProgramOnNodes> tune_program_on(const TuneArguments& arguments, const TuneOptions& options,
                                            const std::vector<int>& numbers, ProgressLine& line,
                                            int& signal) {
  std::vector<ProgramOnNodes> all;
  ProgramTrials trials(arguments);
  ProgramSpace space;
  try {
    space.tiles = trials.tiles();
    space.modes = trials.modes(std::ranges::max(space.tiles));
    for (std::size_t t = 0; t < space.tiles.size() && !options.budget.limited(); ++t)
      trials.prepare(space.tiles[t]);
  } catch (const InputError& error) {
    for (const int nodes : numbers) all.push_back({nodes, {}, error.what()});
    return all;
  }
  for (std::size_t n = 0; n < numbers.size() && signal == 0; ++n) {
    TuneOptions own = options;
    own.budget = options.budget.part(1, static_cast<double>(numbers.size() - n));
    all.push_back(tune_on(numbers[n], arguments, own, trials, space, line, signal));
  }
  return all;
}

void tune_program_case(const TuneArguments& arguments, TuneOptions options, Goal goal) {
  const Stopwatch watch;
  ProgressLine line;
  ProgramSpace space;
  if (!arguments.nodes.empty()) space.nodes = node_range(arguments.nodes, "--nodes");
  ProgramTrials trials(arguments);
  require_joules(goal, trials.platform());
  space.tiles = trials.tiles();
  space.modes = trials.modes(std::ranges::max(space.tiles));  // of large tiles there are few
  trials.machine_of(space.nodes.last);                        // throws where the platform has fewer
  if (arguments.budget.empty()) {  // else a trial's process prepares for itself, which ends with the budget
    for (const std::int64_t tile : space.tiles) trials.prepare(tile);
  }
  const std::vector<ProgramCandidate> candidates = candidates_of(space);
  options.space = space_of(space, candidates);
  options.identity = trials.identity(options.space);
  const TuneResult result = tune_candidates(options, candidates, trials, true, line);
  int signal = result.signal;
  ProgramTuning tuning = conclude(space, trials_of(result, candidates, options), [&](int nodes) {
    return try_nodes(nodes, space, options, trials, line, signal);
  });
  tuning.tie = tie_of(arguments, trials);
  tuning.about = power_is_guessed(trials.platform());
  const ProgramTrial* const trial = tuning.taken(goal);
  if (!trial && signal == 0) require_settings(result);
  erase_progress();
  const std::vector<ExachemTime> exachem = exachem_times(arguments, tuning, trials.platform());
  const bool is_json = arguments.options.json;
  if (!is_json) print_table(arguments, space, tuning, trials, exachem);
  std::optional<EngineTimes> times;
  if (trial && signal == 0) {
    const auto evaluation =
        std::ranges::find(result.ranking, settings_of(trial->candidate), &Evaluation::candidate);
    signal = finish(arguments, options, trials, *trial, evaluation->wall_s, times, line);
  } else if (trial && !arguments.output.empty()) {
    Taken(arguments, trials, *trial).store(line);
  }
  if (is_json) {
    print_json(json_of(arguments, space, tuning, trial, times, exachem));
  } else {
    if (trial && goal != Goal::time)
      fmt::print("taken              {:.4g} s on {} {}, tiles of {}, mode {}: --goal {}\n",
                 *trial->makespan_s, trial->candidate.nodes, trial->candidate.nodes == 1 ? "node" : "nodes",
                 trial->candidate.tile, trial->candidate.mode, arguments.goal);
    if (times) fmt::print("engines            {}\n", engine_times_text(*times));
    fmt::print("tried in           {}\n", quantity(watch.seconds(), "s"));
    if (trial && !arguments.output.empty()) fmt::print("\nWritten to {}\n", one_line(arguments.output));
  }
  if (signal != 0) throw CLI::RuntimeError(128 + signal);
  if (!trial) refuse(tuning);
}

}  // namespace foretile
