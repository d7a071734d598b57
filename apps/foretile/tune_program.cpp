// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/tune_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "apps/foretile/candidates.hpp"
#include "apps/foretile/engine_times.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/program.hpp"
#include "apps/quantities.hpp"
#include "apps/resources.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "base/time_budget.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/plan/products_of_tile.hpp"
#include "planner/program/program_file.hpp"
#include "planner/program/tile_sizes.hpp"
#include "planner/tensor/program_text.hpp"
#include "platforms/cost/product.hpp"
#include "simulator/reference_engine.hpp"
#include "simulator/simulated_seconds.hpp"
#include "simulator/simulation.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/program_search.hpp"
#include "tuner/report.hpp"
#include "tuner/tune.hpp"

namespace foretile {

namespace {

/// Of all products on one device.
double least_device_seconds(const FusedProgram& program, const Machine& machine) {
  const LeastTimes least(machine, ElementType{}, 1);
  double seconds = 0;
  std::int64_t products = 0;
  for (const FusedProgramTerm& term : program.terms()) {
    if (!term.is_product()) continue;
    const Contraction& p = term.product->contraction();
    for (TileId c = 0; c < p.c.nonzeros(); ++c) {
      for_each_product_of(p, c, [&](TileId a, TileId) {
        seconds +=
            least.work(p.m.size(p.c.row_of(c)), p.n.size(p.c.column_of(c)), p.k.size(p.a.column_of(a)));
        ++products;
      });
    }
  }
  return seconds + least.launches(products);
}

class Trials {
 public:
  explicit Trials(const TuneArguments& arguments)
      : arguments_(arguments),
        of_(arguments.program),
        platform_(named_platform(arguments.platform.empty() ? "here" : arguments.platform,
                                 arguments.options.platform_settings())) {
    warn_of_doubts(platform_);
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
    tiles = proposed_tiles(load_program(arguments_.problem), {of_.occupied, of_.virtuals}, machine_of(1),
                           arguments_.problem);
    if (tiles.empty())
      throw input_error("--tile", "nothing, and no size of which three tiles fit a device",
                        "the largest extent of a tile", "give it, or give devices more memory");
    return tiles;
  }

  /// What all trials with tiles of this size need: processes that begin behind it inherit it.
  void prepare(std::int64_t tile) {
    const FusedProgram& program = with_tile(tile);
    if (!device_seconds_.contains(tile)) device_seconds_[tile] = least_device_seconds(program, machine_of(1));
  }

  ProgramTrial operator()(const ProgramCandidate& candidate, bool simulates) {
    prepare(candidate.tile);
    ProgramTrial trial{candidate, 0, {}, 0, {}};
    const FusedProgram& program = with_tile(candidate.tile);
    trial.bound_s = device_seconds_[candidate.tile] / machine_of(candidate.nodes).devices();
    try {
      const ProgramPlan planned = plan(candidate);
      trial.memory_bytes = planned.work.summary.peak_host_bytes;
      trial.effort = effort_of(planned.work);
      trial.on_demand = names_on_demand(program, planned.distribution);
      trial.distribution = planned.distribution.owners.empty() ? "round-robin" : "chosen";
      for (std::size_t term = 0; term < program.terms().size(); ++term) {
        if (const std::string name = planned.distribution.strategy_of(term); !name.empty())
          trial.strategies.emplace_back(program.program().terms[term].name, name);
      }
      if (simulates) trial.makespan_s = makespan_of(planned.work);
    } catch (const DoesNotFit& error) {
      trial.message = error.what();
    }
    return trial;
  }

  ProgramPlan plan(const ProgramCandidate& candidate) {
    const ProgramOptions as{candidate.mode, of_.on_demand, of_.distribution};
    return choose_plan(with_tile(candidate.tile), machine_of(candidate.nodes), arguments_.options.settings(),
                       as.plan_options(simulated_seconds()));
  }

  ProgramFile file_of(const ProgramTrial& trial, const ProgramPlan& planned) {
    const auto& [nodes, tile, mode] = trial.candidate;
    ProgramFile file = make_program_file(std::filesystem::path(arguments_.problem).stem().string(),
                                         {of_.occupied, of_.virtuals, tile}, size_of(nodes),
                                         machine_of(nodes), with_tile(tile), planned);
    if (trial.makespan_s) file.predicted = Prediction{*trial.makespan_s, planned.flops() / *trial.makespan_s};
    return file;
  }

  /// A history holds only for runs that ask the same.
  nlohmann::json identity(const Space& space) const {
    return {{"foretile", FORETILE_VERSION},
            {"program", digest(written(load_program(arguments_.problem)))},
            {"sizes", fmt::format("o {} v {}", of_.occupied, of_.virtuals)},
            {"platform", digest(platform_.toml)},
            {"fixed", nlohmann::json(arguments_.options.settings()).dump()},
            {"distribution", fmt::format("{} {}", of_.distribution, fmt::join(of_.on_demand, " "))},
            {"seed", fmt::to_string(arguments_.tune.seed)},
            {"space", digest(space.text())}};
  }

  /// To be tried.
  std::vector<std::string> modes(std::int64_t tile) {
    if (!of_.mode.empty()) return {of_.mode};
    if (has_products(with_tile(tile))) return {"flow", "levels"};
    return {"levels"};
  }

  Machine machine_of(int nodes) const { return make_machine(platform_, size_of(nodes)); }
  const Platform& platform() const { return platform_; }

 private:
  MachineSize size_of(int nodes) const {
    MachineSize size = arguments_.size;
    size.nodes = nodes;
    return size;
  }

  const FusedProgram& with_tile(std::int64_t tile) {
    std::unique_ptr<FusedProgram>& program = programs_[tile];
    if (!program)
      program =
          std::make_unique<FusedProgram>(load_program(arguments_.problem),
                                         ProgramSizes{of_.occupied, of_.virtuals, tile}, arguments_.problem);
    return *program;
  }

  SimulationOptions simulation() const {
    SimulationOptions options;
    options.engine = EngineChoice::fluid;  // SimGrid runs once in a process
    options.noise_seed = arguments_.tune.seed;
    return options;
  }

  double makespan_of(const PlannedWork& work) const {
    return simulate(work.plan, work.contraction, work.machine, simulation()).makespan_s;
  }

  const TuneArguments& arguments_;
  const TuneProgramArguments& of_;
  Platform platform_;
  std::map<std::int64_t, std::unique_ptr<FusedProgram>> programs_;  // by tile
  std::map<std::int64_t, double> device_seconds_;
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

/// Those that ended, in the order of the candidates.
std::vector<ProgramTrial> trials_of(const TuneResult& result,
                                    const std::vector<ProgramCandidate>& candidates) {
  std::map<Candidate, const Evaluation*> by_candidate;
  for (const Evaluation& evaluation : result.ranking) by_candidate[evaluation.candidate] = &evaluation;
  std::vector<ProgramTrial> trials;
  for (const ProgramCandidate& candidate : candidates) {
    if (const auto ended = by_candidate.find(settings_of(candidate)); ended != by_candidate.end())
      trials.push_back(trial_of(*ended->second));
  }
  return trials;
}

/// Largest tiles first, until one of a size fits.
std::optional<std::vector<ProgramTrial>> try_nodes(int nodes, const ProgramSpace& space,
                                                   const TuneOptions& options, Trials& trials,
                                                   ProgressLine& line) {
  std::vector<ProgramTrial> all;
  for (const std::int64_t tile : space.tiles) {
    if (options.budget.over()) return std::nullopt;
    const ProgramSpace one{{nodes, nodes}, {tile}, space.modes};
    const std::vector<ProgramCandidate> candidates = candidates_of(one);
    TuneOptions plans;
    plans.space = space_of(one, candidates);
    plans.budget = plans.latest = options.budget;
    plans.limits = options.limits;
    const TuneResult result = tune_candidates(plans, candidates, trials, false, line);
    for (ProgramTrial& trial : trials_of(result, candidates)) all.push_back(std::move(trial));
    if (std::ranges::any_of(all, &ProgramTrial::fits)) break;
    if (result.end != TuneEnd::complete) return std::nullopt;
  }
  return all;
}

/// What is taken, planned again: trials are planned in other processes. Nothing when nobody needs it.
class Taken {
 public:
  Taken(const TuneArguments& arguments, Trials& trials, const ProgramTrial& trial)
      : arguments_(arguments), trials_(trials), trial_(trial) {}

  void store() { save_program_file(arguments_.output, trials_.file_of(trial_, planned())); }

  EngineTimes engine_times(const TimeBudget& latest, double trial_s, ProgressLine& line) {
    EngineTimes times = by_simgrid_of(latest, trial_s, line);
    times.fluid_s = trial_.makespan_s;
    return times;
  }

 private:
  const ProgramPlan& planned() {
    if (!planned_) planned_ = trials_.plan(trial_.candidate);
    return *planned_;
  }

  /// Planning it again takes no longer than the trial did.
  EngineTimes by_simgrid_of(const TimeBudget& latest, double trial_s, ProgressLine& line) {
    if (arguments_.engine != EngineChoice::automatic) return {};
    if (!reference_engine()) return by_simgrid({}, 0, 0);  // says so
    if (!planned_ && trial_s > latest.left()) return {.left_out = "the time is over"};
    line.show("plan");
    const PlannedWork& work = planned().work;
    line.show("simulate by SimGrid");
    const InterruptGuard interrupt;
    const auto stop = [&] { return latest.over() || interrupt.signal() != 0; };
    return by_simgrid({&work}, arguments_.tune.seed, std::min(kMostSimgridSeconds, latest.left()), stop);
  }

  const TuneArguments& arguments_;
  Trials& trials_;
  const ProgramTrial& trial_;
  std::optional<ProgramPlan> planned_;
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
  if (tuning.trials.empty()) throw WorkError("nothing was tried in the time: give more --budget");
  throw WorkError(tuning.complete ? "nothing fits: use more nodes, or smaller tiles"
                                  : "nothing that was tried fits: give more --budget, or use more nodes");
}

void print(const TuneArguments& arguments, const ProgramSpace& space, const ProgramTuning& tuning,
           const std::optional<EngineTimes>& times, const Trials& trials, double seconds) {
  if (arguments.options.json) {
    nlohmann::ordered_json json = json_of(tuning);
    json["tiles"] = space.tiles;
    if (times) add_engine_times(json, *times);
    print_json(json);
    return;
  }
  if (arguments.program.tiles.empty())
    fmt::print("tiles, as --tile gives none: {}\n", fmt::join(space.tiles, ", "));
  fmt::print("{}", text_of(tuning));
  if (times) fmt::print("engines            {}\n", engine_times_text(*times));
  fmt::print("tried in           {}\n", quantity(seconds, "s"));
  if (std::ranges::any_of(tuning.trials, [](const ProgramTrial& t) { return !t.on_demand.empty(); }))
    fmt::print("slices generated   {}\n", generation_rate_text(trials.platform()));
  if (times && !arguments.output.empty()) fmt::print("\nWritten to {}\n", one_line(arguments.output));
}

}  // namespace

void tune_program_case(const TuneArguments& arguments, TuneOptions options, Goal goal) {
  const Stopwatch watch;
  ProgressLine line;
  ProgramSpace space;
  if (!arguments.nodes.empty()) space.nodes = node_range(arguments.nodes, "--nodes");
  Trials trials(arguments);
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
  ProgramTuning tuning = conclude(space, trials_of(result, candidates), result.end == TuneEnd::complete,
                                  [&](int nodes) { return try_nodes(nodes, space, options, trials, line); });
  tuning.tie = arguments.tie.value_or(tie_of(trials.platform().calibration.error));
  const ProgramTrial* const trial = tuning.taken(goal);
  if (!trial) require_settings(result);
  std::optional<EngineTimes> times;
  if (trial) {
    Taken taken(arguments, trials, *trial);
    if (!arguments.output.empty()) taken.store();
    const auto of_trial =
        std::ranges::find(result.ranking, settings_of(trial->candidate), &Evaluation::candidate);
    if (result.end != TuneEnd::interrupt) times = taken.engine_times(options.latest, of_trial->wall_s, line);
  }
  erase_progress();
  print(arguments, space, tuning, times, trials, watch.seconds());
  if (result.signal != 0) throw CLI::RuntimeError(128 + result.signal);
  if (!trial) refuse(tuning);
}

}  // namespace foretile
