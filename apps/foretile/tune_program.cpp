// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/tune_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "apps/foretile/candidates.hpp"
#include "apps/foretile/engine_times.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/tune_machine.hpp"
#include "apps/foretile/tune_program_view.hpp"
#include "apps/program.hpp"
#include "apps/quantities.hpp"
#include "apps/resources.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "base/time_budget.hpp"
#include "planner/bound/program_bound.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/program/choose_plan.hpp"
#include "planner/program/plan_in_slices.hpp"
#include "planner/program/program_file.hpp"
#include "planner/program/tile_sizes.hpp"
#include "planner/tensor/program_text.hpp"
#include "platforms/guesses.hpp"
#include "scheduler/report/report.hpp"
#include "simulator/reference_engine.hpp"
#include "simulator/simulated_seconds.hpp"
#include "simulator/simulation.hpp"
#include "tuner/history.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/program_search.hpp"
#include "tuner/report.hpp"
#include "tuner/tune.hpp"

namespace foretile {

namespace {

/// Trials of plans with more products and messages are simulated coarsely, which takes a tenth of the time.
constexpr std::int64_t kMostOperationsInFull = 200'000;

class Trials {
 public:
  explicit Trials(const TuneArguments& arguments)
      : arguments_(arguments),
        of_(arguments.program),
        platform_(named_platform(arguments.platform.empty() ? "here" : arguments.platform,
                                 arguments.options.platform_settings())) {
    warn_of_doubts(platform_);
    note_faster_messages(platform_, arguments.options);
    if (!arguments.options.tiling().empty())
      throw input_error("--set", "a tiling key of problems", "a parameter of the strategy or the platform",
                        "give --tile");
  }

  /// Those that the user names, else some that are likely to be good.
  std::vector<std::int64_t> tiles() const {
    std::vector<std::int64_t> tiles;
    for (const std::int64_t tile : of_.tiles) {
      if (std::ranges::find(tiles, tile) == tiles.end()) tiles.push_back(tile);
    }
    if (!tiles.empty()) return tiles;
    tiles = proposed_tiles(load_program(arguments_.problem), of_.sizes, machine_of(1), arguments_.problem);
    if (tiles.empty())
      throw input_error("--tile", "nothing, and no size of which three tiles fit a device",
                        "the largest extent of a tile", "give it, or give devices more memory");
    return tiles;
  }

  /// What all trials with tiles of this size need: processes that begin behind it inherit it.
  void prepare(std::int64_t tile) { with_tile(tile); }

  ProgramTrial operator()(const ProgramCandidate& candidate, bool simulates) {
    ProgramTrial trial{candidate, 0, {}, 0, {}};
    trial.bound_s = program_bound(with_tile(candidate.tile), machine_of(candidate.nodes)).seconds;
    try {
      const SlicedPlan found = plan(candidate);
      const FusedProgram& program = *found.program;
      const ProgramPlan& planned = found.plan;
      trial.memory_bytes = planned.work.summary.peak_host_bytes;
      trial.effort = effort_of(planned.work);
      trial.on_demand = names_on_demand(program, planned.distribution);
      trial.distribution = planned.distribution.owners.empty() ? "round-robin" : "chosen";
      for (std::size_t term = 0; term < program.terms().size(); ++term) {
        if (const std::string name = planned.distribution.strategy_of(term); !name.empty())
          trial.strategies.emplace_back(program.program().terms[term].name, name);
      }
      if (simulates) simulate(planned.work, trial);
    } catch (const DoesNotFit& error) {
      trial.message = error.what();
    }
    return trial;
  }

  SlicedPlan plan(const ProgramCandidate& candidate) {
    const ProgramOptions as{candidate.mode, of_.on_demand, of_.distribution};
    return plan_in_slices(
        of_.sizes_with(candidate.tile), [&](const ProgramSizes& sizes) { return with_sizes(sizes); },
        [&](const FusedProgram& program) {
          return choose_plan(program, machine_of(candidate.nodes), arguments_.options.settings(),
                             as.plan_options(simulated_seconds()));
        });
  }

  ProgramFile file_of(const ProgramTrial& trial, const SlicedPlan& planned) {
    const int nodes = trial.candidate.nodes;
    ProgramFile file =
        make_program_file(std::filesystem::path(arguments_.problem).stem().string(), planned.sizes,
                          size_of(nodes), machine_of(nodes), *planned.program, planned.plan);
    if (trial.makespan_s)
      file.predicted = Prediction{*trial.makespan_s, planned.plan.flops() / *trial.makespan_s};
    return file;
  }

  /// A history holds only for runs that ask the same.
  nlohmann::json identity(const Space& space) const {
    return {{"foretile", FORETILE_VERSION},
            {"program", digest(written(load_program(arguments_.problem)))},
            {"sizes", sizes_text()},
            {"platform", digest(platform_.toml)},
            {"fixed", nlohmann::json(arguments_.options.settings()).dump()},
            {"distribution", of_.distribution},
            {"on_demand", fmt::format("{}", fmt::join(of_.on_demand, " "))},
            {"seed", fmt::to_string(arguments_.tune.seed)},
            {"nodes", arguments_.nodes.empty() ? "1" : arguments_.nodes},
            {"tiles", fmt::format("{}", fmt::join(tiles(), " "))},
            {"space", digest(space.text())}};
  }

  /// To be tried.
  std::vector<std::string> modes(std::int64_t tile) {
    if (!of_.mode.empty()) return {of_.mode};
    if (has_products(with_tile(tile))) return {"levels", "flow"};
    return {"levels"};
  }

  Machine machine_of(int nodes) const { return make_machine(platform_, size_of(nodes)); }
  const Platform& platform() const { return platform_; }

 private:
  std::string sizes_text() const {
    const ProgramSizes& sizes = of_.sizes;
    std::string text = fmt::format("o {} v {}", sizes.occupied, sizes.virtuals);
    if (sizes.vectors > 0)
      text += fmt::format(" x {} by {}", sizes.vectors, sizes.tile_of(SpaceKind::auxiliary));
    return text;
  }

  MachineSize size_of(int nodes) const {
    MachineSize size = arguments_.size;
    size.nodes = nodes;
    return size;
  }

  const FusedProgram& with_tile(std::int64_t tile) {
    ProgramSizes sizes = of_.sizes_with(tile);
    sizes.slices = 1;
    return *with_sizes(sizes);
  }

  std::shared_ptr<const FusedProgram> with_sizes(const ProgramSizes& sizes) {
    std::shared_ptr<const FusedProgram>& program = programs_[{sizes.tile, sizes.slices}];
    if (!program)
      program =
          std::make_shared<const FusedProgram>(load_program(arguments_.problem), sizes, arguments_.problem);
    return program;
  }

  void simulate(const PlannedWork& work, ProgramTrial& trial) const {
    SimulationOptions options;
    options.engine = EngineChoice::fluid;  // SimGrid runs once in a process
    options.noise_seed = arguments_.tune.seed;
    trial.coarse = operations_of(work) > kMostOperationsInFull;
    if (trial.coarse) options.groups = coarse_groups(work);
    const SimulationResult result = foretile::simulate(work.plan, work.contraction, work.machine, options);
    trial.makespan_s = result.makespan_s;
    trial.joules = joules_of(result.ranks, work.machine, work.plan, result.makespan_s);
    trial.limit = limit_sentence(make_report(result.ranks, work.machine, work.plan.grid, result.makespan_s));
  }

  const TuneArguments& arguments_;
  const TuneProgramArguments& of_;
  Platform platform_;
  /// By tile and slices.
  std::map<std::pair<std::int64_t, int>, std::shared_ptr<const FusedProgram>> programs_;
};

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
                           Trials& trials, bool simulates, ProgressLine& line) {
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
NodesTried try_nodes(int nodes, const ProgramSpace& space, const TuneOptions& options, Trials& trials,
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
  Taken(const TuneArguments& arguments, Trials& trials, const ProgramTrial& trial)
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
  Trials& trials_;
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
                 const Trials& trials, const std::vector<ExachemTime>& exachem) {
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
int finish(const TuneArguments& arguments, const TuneOptions& options, Trials& trials,
           const ProgramTrial& trial, double trial_s, std::optional<EngineTimes>& times, ProgressLine& line) {
  const InterruptGuard interrupt;
  Taken taken(arguments, trials, trial);
  if (!arguments.output.empty()) taken.store(line);
  if (interrupt.signal() == 0) times = taken.engine_times(options.latest, trial_s, interrupt, line);
  erase_progress();
  return interrupt.signal();
}

double tie_of(const TuneArguments& arguments, const Trials& trials) {
  return arguments.tie.value_or(foretile::tie_of(trials.platform().calibration.error));
}

/// Why nothing is taken.
std::string refusal_of(const ProgramTuning& tuning) {
  for (const ProgramTrial& trial : tuning.trials) {
    if (!trial.fits() && !trial.message.empty()) return trial.message;
  }
  return "nothing was finished";
}

ProgramOnNodes tune_on(int nodes, const TuneArguments& arguments, TuneOptions options, Trials& trials,
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
  Trials trials(arguments);
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
  Trials trials(arguments);
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
