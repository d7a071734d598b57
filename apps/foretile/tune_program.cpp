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
#include "apps/quantities.hpp"
#include "apps/resources.hpp"
#include "base/error.hpp"
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
#include "simulator/simulation.hpp"
#include "tuner/program_search.hpp"
#include "tuner/workers.hpp"

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
  explicit Trials(const TuneProgramArguments& arguments)
      : arguments_(arguments),
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
    for (const std::int64_t tile : arguments_.tiles) {
      if (std::ranges::find(tiles, tile) == tiles.end()) tiles.push_back(tile);
    }
    if (!tiles.empty()) return tiles;
    tiles = proposed_tiles(load_program(arguments_.problem), {arguments_.occupied, arguments_.virtuals},
                           machine_of(1), arguments_.problem);
    if (tiles.empty())
      throw input_error("--tile", "nothing, and no size of which three tiles fit a device",
                        "the largest extent of a tile", "give it, or give devices more memory");
    return tiles;
  }

  /// What all trials with tiles of this size need.
  void prepare(std::int64_t tile) {
    const FusedProgram& program = with_tile(tile);
    if (!device_seconds_.contains(tile)) device_seconds_[tile] = least_device_seconds(program, machine_of(1));
  }

  ProgramTrial operator()(const ProgramCandidate& candidate, bool simulates) {
    prepare(candidate.tile);
    ProgramTrial trial{candidate, 0, {}, 0, {}};
    const FusedProgram& program = with_tile(candidate.tile);
    const Machine machine = machine_of(candidate.nodes);
    trial.bound_s = device_seconds_[candidate.tile] / machine.devices();
    try {
      const ProgramPlan planned = planned_again(candidate, machine);
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

  /// By SimGrid, planned again.
  EngineTimes by_simgrid_of(const ProgramTrial& trial, double limit_s) {
    const TimeBudget budget(limit_s);
    const Machine machine = machine_of(trial.candidate.nodes);
    const ProgramPlan planned = planned_again(trial.candidate, machine);
    return by_simgrid({&planned.work}, arguments_.seed, budget.left());
  }

  /// Of a trial, planned again: trials are planned in other processes.
  ProgramFile file_of(const ProgramTrial& trial) {
    const ProgramCandidate& candidate = trial.candidate;
    const FusedProgram& program = with_tile(candidate.tile);
    const Machine machine = machine_of(candidate.nodes);
    const ProgramPlan planned = planned_again(candidate, machine);
    MachineSize size = arguments_.size;
    size.nodes = candidate.nodes;
    ProgramFile file = make_program_file(std::filesystem::path(arguments_.problem).stem().string(),
                                         {arguments_.occupied, arguments_.virtuals, candidate.tile}, size,
                                         machine, program, planned);
    if (trial.makespan_s) file.predicted = Prediction{*trial.makespan_s, planned.flops() / *trial.makespan_s};
    return file;
  }

  /// To be tried.
  std::vector<std::string> modes(std::int64_t tile) {
    if (!arguments_.mode.empty()) return {arguments_.mode};
    if (has_products(with_tile(tile))) return {"flow", "levels"};
    return {"levels"};
  }

  Machine machine_of(int nodes) const {
    MachineSize size = arguments_.size;
    size.nodes = nodes;
    return make_machine(platform_, size);
  }
  const Platform& platform() const { return platform_; }

 private:
  ProgramPlan planned_again(const ProgramCandidate& candidate, const Machine& machine) {
    const ProgramArguments as{{}, candidate.mode, arguments_.on_demand, arguments_.distribution};
    return choose_plan(with_tile(candidate.tile), machine, arguments_.options.settings(), as.plan_options());
  }

  const FusedProgram& with_tile(std::int64_t tile) {
    std::unique_ptr<FusedProgram>& program = programs_[tile];
    if (!program)
      program = std::make_unique<FusedProgram>(load_program(arguments_.problem),
                                               ProgramSizes{arguments_.occupied, arguments_.virtuals, tile},
                                               arguments_.problem);
    return *program;
  }

  SimulationOptions simulation() const {
    SimulationOptions options;
    options.engine = EngineChoice::fluid;  // SimGrid runs once in a process
    options.noise_seed = arguments_.seed;
    return options;
  }

  double makespan_of(const PlannedWork& work) const {
    return simulate(work.plan, work.contraction, work.machine, simulation()).makespan_s;
  }

  const TuneProgramArguments& arguments_;
  Platform platform_;
  std::map<std::int64_t, std::unique_ptr<FusedProgram>> programs_;  // by tile
  std::map<std::int64_t, double> device_seconds_;
};

/// Each trial in a process of its own, which ends with the budget. It inherits what is prepared: where there
/// is a budget that is done after the first trial of a size has told what it takes.
class TimedTrials {
 public:
  TimedTrials(Trials& trials, std::optional<double> budget_s) : trials_(trials), budget_s_(budget_s) {}

  std::optional<ProgramTrial> operator()(const ProgramCandidate& candidate, bool simulates) {
    show(candidate);
    const CostFunction cost = [&](const Candidate&) {
      const Stopwatch preparing;
      trials_.prepare(candidate.tile);
      const double preparing_s = preparing.seconds();
      const ProgramTrial trial = trials_(candidate, simulates);
      return Outcome{Outcome::Status::done,
                     trial.makespan_s.value_or(0),
                     {},
                     {{kTrial, json_of(trial).dump()}, {kPreparing, preparing_s}}};
    };
    if (may_prepare(candidate.tile)) trials_.prepare(candidate.tile);
    constexpr double kLook_s = 0.2;
    WorkerLimits limits;
    limits.evaluation_s = seconds_left();
    Workers workers(cost, limits);
    workers.start({});
    std::vector<Evaluation> ended;
    while (ended.empty()) {
      ended = workers.wait(kLook_s);
      show(candidate);
    }
    const Outcome& outcome = ended.front().outcome;
    if (outcome.status == Outcome::Status::infeasible) throw InputError(outcome.message);
    if (!outcome.done() && is_over()) return std::nullopt;
    if (!outcome.done()) throw WorkError(outcome.message);
    ++tried_;
    double& preparing_s = preparing_s_[candidate.tile];
    preparing_s = std::max(preparing_s, outcome.extra.at(kPreparing).get<double>());
    ProgramTrial trial = trial_of(nlohmann::ordered_json::parse(outcome.extra.at(kTrial).get<std::string>()));
    if (trial.makespan_s) best_s_ = std::min(best_s_.value_or(*trial.makespan_s), *trial.makespan_s);
    return trial;
  }

  /// Of what is taken, in a process of its own, too: planning it again may take longer than there is time.
  EngineTimes by_simgrid_of(const ProgramTrial& trial) {
    if (!reference_engine()) return by_simgrid({}, 0, 0);  // says so
    const double limit_s =
        budget_s_ ? std::min(kMostSimgridSeconds, seconds_late() - watch_.seconds()) : kMostSimgridSeconds;
    if (limit_s <= 0) return {.left_out = "the time is over"};
    line_.show("tune: simulate by SimGrid");
    const CostFunction cost = [&](const Candidate&) {
      const EngineTimes times = trials_.by_simgrid_of(trial, limit_s);
      return Outcome{Outcome::Status::done, times.simgrid_s.value_or(0), {}, {{kLeftOut, times.left_out}}};
    };
    WorkerLimits limits;
    limits.evaluation_s = limit_s;
    Workers workers(cost, limits);
    workers.start({});
    const Outcome outcome = workers.wait(2 * limit_s).front().outcome;
    if (!outcome.done()) return {.left_out = outcome.message};
    const std::string left_out = outcome.extra.at(kLeftOut).get<std::string>();
    if (!left_out.empty()) return {.left_out = left_out};
    return {.simgrid_s = outcome.makespan_s};
  }

  bool is_over() const { return budget_s_ && watch_.seconds() >= *budget_s_; }
  double seconds() const { return watch_.seconds(); }

 private:
  static constexpr const char* kTrial = "trial";
  static constexpr const char* kPreparing = "preparing_s";
  static constexpr const char* kLeftOut = "left_out";

  bool may_prepare(std::int64_t tile) const {
    if (!budget_s_) return true;
    constexpr double kSmall = 0.1;
    const auto known = preparing_s_.find(tile);
    return known != preparing_s_.end() && known->second < kSmall * (*budget_s_ - watch_.seconds());
  }

  /// For a trial. The very first goes on when the budget is over, so that there is something to print.
  double seconds_left() const {
    constexpr double kDay_s = 86400, kLeast_s = 0.01;
    if (!budget_s_) return kDay_s;
    return std::max(kLeast_s, (tried_ == 0 ? seconds_late() : *budget_s_) - watch_.seconds());
  }

  /// Of the budget, for what goes on when it is over.
  double seconds_late() const {
    constexpr double kShareLate = 0.1, kSecondsLate = 4;
    return (1 + kShareLate) * *budget_s_ + kSecondsLate;
  }

  void show(const ProgramCandidate& candidate) {
    line_.show(fmt::format("tune: {} tried{}; now {}, tiles of {}, mode {}", tried_,
                           best_s_ ? fmt::format(", best {:.4g} s", *best_s_) : "",
                           nodes_text(candidate.nodes), candidate.tile, candidate.mode));
  }

  Trials& trials_;
  std::optional<double> budget_s_;
  Stopwatch watch_;
  ProgressLine line_;
  int tried_ = 0;
  std::optional<double> best_s_;
  std::map<std::int64_t, double> preparing_s_;  // by tile
};

/// Of the shortest time.
EngineTimes engine_times(const TuneProgramArguments& arguments, TimedTrials& timed,
                         const ProgramTrial& taken) {
  EngineTimes times;
  if (arguments.engine == EngineChoice::automatic) times = timed.by_simgrid_of(taken);
  times.fluid_s = taken.makespan_s;
  return times;
}

}  // namespace

void tune_program_case(const TuneProgramArguments& arguments) {
  ProgramSpace space;
  if (!arguments.nodes.empty()) space.nodes = node_range(arguments.nodes, "--nodes");
  Trials trials(arguments);
  TimedTrials timed(trials, arguments.budget_s);  // the clock starts: programs with small tiles take seconds
  space.tiles = trials.tiles();
  space.modes = trials.modes(std::ranges::max(space.tiles));  // of large tiles there are few
  trials.machine_of(space.nodes.last);                        // throws where the platform has fewer
  ProgramTuning tuning = tune_program(space, std::ref(timed), [&] { return !timed.is_over(); });
  tuning.tie = arguments.tie.value_or(tie_of(trials.platform().calibration.error));
  const ProgramTrial* const taken = tuning.taken(Goal::time);
  if (taken && !arguments.output.empty()) save_program_file(arguments.output, trials.file_of(*taken));
  const EngineTimes times = taken ? engine_times(arguments, timed, *taken) : EngineTimes();
  erase_progress();
  if (arguments.options.json) {
    nlohmann::ordered_json json = json_of(tuning);
    json["tiles"] = space.tiles;
    if (taken) add_engine_times(json, times);
    print_json(json);
  } else {
    if (arguments.tiles.empty())
      fmt::print("tiles, as --tile gives none: {}\n", fmt::join(space.tiles, ", "));
    const bool makes =
        std::ranges::any_of(tuning.trials, [](const ProgramTrial& t) { return !t.on_demand.empty(); });
    fmt::print("{}", text_of(tuning));
    if (taken) fmt::print("engines            {}\n", engine_times_text(times));
    fmt::print("tried in           {}\n", quantity(timed.seconds(), "s"));
    if (makes) fmt::print("slices generated   {}\n", generation_rate_text(trials.platform()));
  }
  if (taken && !arguments.output.empty() && !arguments.options.json)
    fmt::print("\nWritten to {}\n", one_line(arguments.output));
  if (taken) return;
  if (tuning.trials.empty()) throw WorkError("nothing was tried in the time: give more --budget");
  throw WorkError(tuning.complete ? "nothing fits: use more nodes, or smaller tiles"
                                  : "nothing that was tried fits: give more --budget, or use more nodes");
}

}  // namespace foretile
