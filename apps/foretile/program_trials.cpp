// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/program_trials.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "apps/foretile/candidates.hpp"
#include "apps/foretile/case.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/program.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/bound/program_bound.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/program/choose_plan.hpp"
#include "planner/program/tile_sizes.hpp"
#include "planner/tensor/program_text.hpp"
#include "scheduler/report/report.hpp"
#include "simulator/simulated_seconds.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

namespace {

/// Trials of plans with more products and messages are simulated coarsely, which takes a tenth of the time.
constexpr std::int64_t kMostOperationsInFull = 200'000;

}  // namespace

ProgramTrials::ProgramTrials(const TuneArguments& arguments)
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

std::vector<std::int64_t> ProgramTrials::tiles() const {
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

ProgramTrial ProgramTrials::operator()(const ProgramCandidate& candidate, bool simulates) {
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

SlicedPlan ProgramTrials::plan(const ProgramCandidate& candidate) {
  const ProgramOptions as{candidate.mode, of_.on_demand, of_.distribution};
  return plan_in_slices(
      of_.sizes_with(candidate.tile), [&](const ProgramSizes& sizes) { return with_sizes(sizes); },
      [&](const FusedProgram& program) {
        return choose_plan(program, machine_of(candidate.nodes), arguments_.options.settings(),
                           as.plan_options(simulated_seconds()));
      });
}

ProgramFile ProgramTrials::file_of(const ProgramTrial& trial, const SlicedPlan& planned) {
  const int nodes = trial.candidate.nodes;
  ProgramFile file =
      make_program_file(std::filesystem::path(arguments_.problem).stem().string(), planned.sizes,
                        size_of(nodes), machine_of(nodes), *planned.program, planned.plan);
  if (trial.makespan_s)
    file.predicted = Prediction{*trial.makespan_s, planned.plan.flops() / *trial.makespan_s};
  return file;
}

nlohmann::json ProgramTrials::identity(const Space& space) const {
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

std::vector<std::string> ProgramTrials::modes(std::int64_t tile) {
  if (!of_.mode.empty()) return {of_.mode};
  if (has_products(with_tile(tile))) return {"levels", "flow"};
  return {"levels"};
}

Machine ProgramTrials::machine_of(int nodes) const {
  return make_machine(platform_, size_of(nodes));
}

std::string ProgramTrials::sizes_text() const {
  const ProgramSizes& sizes = of_.sizes;
  std::string text = fmt::format("o {} v {}", sizes.occupied, sizes.virtuals);
  if (sizes.vectors > 0)
    text += fmt::format(" x {} by {}", sizes.vectors, sizes.tile_of(SpaceKind::auxiliary));
  return text;
}

MachineSize ProgramTrials::size_of(int nodes) const {
  MachineSize size = arguments_.size;
  size.nodes = nodes;
  return size;
}

const FusedProgram& ProgramTrials::with_tile(std::int64_t tile) {
  ProgramSizes sizes = of_.sizes_with(tile);
  sizes.slices = 1;
  return *with_sizes(sizes);
}

std::shared_ptr<const FusedProgram> ProgramTrials::with_sizes(const ProgramSizes& sizes) {
  std::shared_ptr<const FusedProgram>& program = programs_[{sizes.tile, sizes.slices}];
  if (!program)
    program =
        std::make_shared<const FusedProgram>(load_program(arguments_.problem), sizes, arguments_.problem);
  return program;
}

void ProgramTrials::simulate(const PlannedWork& work, ProgramTrial& trial) const {
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

}  // namespace foretile
