// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/program_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "apps/foretile/program_advice.hpp"
#include "apps/foretile/program_planning.hpp"
#include "apps/foretile/program_view.hpp"
#include "apps/foretile/seeds.hpp"
#include "apps/foretile/what_if.hpp"
#include "apps/program.hpp"
#include "apps/program_parts.hpp"
#include "apps/quantities.hpp"
#include "apps/resources.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "base/progress.hpp"
#include "planner/bound/program_bound.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/program/program_file.hpp"
#include "planner/tensor/program_text.hpp"
#include "platforms/guesses.hpp"
#include "platforms/loader.hpp"
#include "platforms/units.hpp"
#include "scheduler/report/chrome_trace.hpp"
#include "scheduler/report/program_times.hpp"
#include "scheduler/report/progress_sink.hpp"
#include "scheduler/report/report.hpp"
#include "scheduler/report/report_json.hpp"
#include "simulator/simulated_seconds.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

namespace {

/// A program on a machine, planned.
struct ProgramCase {
  Machine machine;
  std::shared_ptr<const FusedProgram> fused;
  ProgramPlan plan;
  double planning_s = 0;
  ProgramFile file;  ///< what is stored of it
  MachineSize size;  ///< as it was asked for
  ProgramPlanning planning;
  std::optional<MoleculeCase> molecule = {};
  const FusedProgram& program = *fused;
};

ProgramCase fresh_program(const CaseArguments& arguments, const ProgramArguments& of) {
  Machine machine = program_machine(arguments);
  if (machine.nodes() > 1) note_faster_messages(machine.platform, arguments.options);
  if (of.sizes.tile == 0) throw missing_tile(arguments, of, machine);
  if (!arguments.options.tiling().empty())
    throw input_error("--set", "a tiling key of problems", "a parameter of the strategy or the platform",
                      "give --tile");
  const Stopwatch watch;
  ProgramPlanning planning(load_program(arguments.problem), arguments.problem, of.sizes,
                           arguments.options.settings(), of.plan_options(simulated_seconds()));
  SlicedPlan planned = plan_with_advice(planning, arguments, of, machine);
  const double planning_s = watch.seconds();
  planning.keep_choices(*planned.program, planned.plan);
  const std::string name = std::filesystem::path(arguments.problem).stem().string();
  ProgramFile file =
      make_program_file(name, planned.sizes, arguments.size, machine, *planned.program, planned.plan);
  return {
      std::move(machine), std::move(planned.program), std::move(planned.plan), planning_s, std::move(file),
      arguments.size,     std::move(planning)};
}

ProgramCase stored_program_case(const CaseArguments& arguments) {
  refuse_beside_plan({{"--platform", !arguments.platform.empty()},
                      {"--nodes", arguments.size.nodes.has_value()},
                      {"--ranks", arguments.size.ranks.has_value()},
                      {"--gpus", arguments.size.gpus.has_value()}},
                     arguments.problem);
  refuse_beside_plan(arguments.options.given_settings(), arguments.problem);
  ProgramFile file = load_program_file(arguments.problem);
  const Stopwatch watch;
  RebuiltProgram rebuilt = rebuild(file);
  const double planning_s = watch.seconds();
  warn_of_doubts(rebuilt.machine.platform);
  ProgramPlanning planning(file);
  planning.keep_choices(*rebuilt.program, rebuilt.plan);
  const MachineSize size = file.size;
  return {std::move(rebuilt.machine),
          std::move(rebuilt.program),
          std::move(rebuilt.plan),
          planning_s,
          std::move(file),
          size,
          std::move(planning)};
}

ProgramCase program_case(const CaseArguments& arguments, const ProgramArguments& of) {
  require_different("--output", of.output, "--platform", arguments.platform);
  if (is_program_plan(arguments.problem)) return stored_program_case(arguments);
  require_different("--output", of.output, "the program", arguments.problem);
  ProgramCase program = fresh_program(arguments, of);
  program.molecule = of.molecule;
  return program;
}

void store(const ProgramArguments& of, ProgramFile file, std::optional<Prediction> predicted = {}) {
  if (of.output.empty()) return;
  file.predicted = predicted;
  save_program_file(of.output, file);
}

std::string written_text(const ProgramArguments& of) {
  return of.output.empty() ? std::string() : fmt::format("\nWritten to {}\n", one_line(of.output));
}

Prediction prediction_of(double makespan_s, double flops) {
  return {makespan_s, makespan_s > 0 ? flops / makespan_s : 0};
}

std::string bytes_text(std::int64_t bytes) {
  return quantity(static_cast<double>(bytes), "B");
}

std::string head_text(const CaseArguments& arguments, const ProgramCase& program) {
  std::string text =
      fmt::format("{} on {} {} of {}, {} ranks with {} devices\n", one_line(arguments.problem),
                  program.machine.nodes(), program.machine.nodes() == 1 ? "node" : "nodes",
                  program.machine.platform.name, program.machine.ranks, program.machine.devices_per_rank);
  const std::vector<std::string> slices = names_on_demand(program.program, program.plan.distribution);
  if (program.file.sizes.slices > 1)
    text +=
        fmt::format("intermediates on demand are made and used in {} slices\n", program.file.sizes.slices);
  if (!slices.empty())
    text += fmt::format("slices generated on demand: {}; {}\n", fmt::join(slices, ", "),
                        generation_rate_text(program.machine.platform));
  return text;
}

nlohmann::ordered_json case_json(const CaseArguments& arguments, const ProgramCase& program) {
  const ProgramPlan& plan = program.plan;
  nlohmann::ordered_json json{{"program", arguments.problem},
                              {"platform", program.machine.platform.name},
                              {"nodes", program.machine.nodes()},
                              {"ranks", program.machine.ranks},
                              {"devices", program.machine.devices()},
                              {"slices", std::max(1, program.file.sizes.slices)},
                              {"mode", name_of(plan.mode)},
                              {"gemms", plan.work.summary.gemms},
                              {"flops", plan.flops()},
                              {"sent_bytes", plan.sent_bytes()},
                              {"peak_host_bytes", plan.work.summary.peak_host_bytes},
                              {"host_bytes", program.machine.host_bytes_per_rank()},
                              {"device_message_bytes", plan.work.plan.device_message_bytes},
                              {"planning_s", program.planning_s}};
  if (program.molecule) json["molecule"] = molecule_json(*program.molecule);
  json["distribution"] = distribution_json(program.program, plan.distribution);
  if (const auto slices = names_on_demand(program.program, plan.distribution); !slices.empty())
    json["on_demand"] = slices;
  for (const PlannedStep& step : plan.steps) json["steps"].push_back(step_json(program.program, step));
  json["traffic"] = traffic_json(program.program, plan);
  return json;
}

std::string own_strategies_line(const ProgramCase& program) {
  const std::string text = strategies_text(program.program, program.plan.distribution);
  return text.empty() ? text : fmt::format("strategies          {}\n", text);
}

/// Keys of the platform whose figures are guesses and that the program has to do with.
std::vector<std::string> guesses_that_may_count(const ProgramCase& program) {
  std::vector<std::string> guesses = guessed_keys(program.machine.platform);
  const bool makes = !names_on_demand(program.program, program.plan.distribution).empty(),
             sends = program.machine.ranks > 1;
  std::erase_if(guesses, [=](const std::string& key) {
    const bool is_message = key.starts_with("message.") || key.starts_with("network.");
    return (key.starts_with("generation.") && !makes) || (is_message && !sends);
  });
  return guesses;
}

/// Of programs whose experiments are short.
Guesses guesses_of(const ProgramCase& program, const SimulationOptions& options, ProgressLine& line) {
  const std::vector<std::string> keys = guesses_that_may_count(program);
  if (keys.empty()) return Guesses::value_type();
  if (operations_of(program.plan.work) > kMostProductsInFull) return std::nullopt;
  const Platform& platform = program.machine.platform;
  const ChangedSeconds seconds = [&](const std::vector<std::string>& settings, bool in_full) {
    return makespan_of_plan(parse_platform(platform.toml, platform.source, settings), program.plan.work,
                            options, in_full);
  };
  return deciding_guesses(program.machine, keys, program.plan.work.summary.gemms, seconds, line);
}

/// Planned again on each machine that is changed.
WhatIf what_if_of(const ProgramCase& program, SimulationOptions options, ProgressLine& line) {
  const Platform& platform = program.machine.platform;
  const auto simulated_s = [options](const PlannedWork& work, bool in_full) {
    SimulationOptions as = options;
    as.groups = in_full ? CoarseGroups{} : coarse_groups(work);
    return simulate(work.plan, work.contraction, work.machine, as).makespan_s;
  };
  const ChangedSeconds seconds = [&](const std::vector<std::string>& settings, bool in_full) {
    if (settings.empty()) return simulated_s(program.plan.work, in_full);
    Platform changed = parse_platform(platform.toml, platform.source, settings);
    return simulated_s(program.planning.plan(make_machine(std::move(changed), program.size)).plan.work,
                       in_full);
  };
  return what_if(program.machine, !program.size.gpus, seconds, line);
}

Bounds bounds_of(const ProgramCase& program, ProgressLine& line) {
  const PlannedWork& work = program.plan.work;
  return bounds_of(work.plan, work.contraction, program.program, program.machine,
                   line.stage("bound of the time", work.summary.gemms));
}

/// What was simulated of it.
struct SimulatedProgram {
  Report report;
  ProgramTimes times;
  std::vector<RankStatistics> ranks;
  double simulation_s = 0;
  Guesses guesses;
  std::optional<SeedTimes> seeds;
  bool coarse = false;
};

nlohmann::ordered_json json_of(const CaseArguments& arguments, const ProgramCase& program,
                               const Bounds& bounds, const SimulatedProgram* simulated) {
  nlohmann::ordered_json json = case_json(arguments, program);
  add_bounds(json, bounds);
  if (simulated) {
    const Report& report = simulated->report;
    for (std::size_t n = 0; n < program.plan.steps.size(); ++n)
      json["steps"][n]["end_s"] = simulated->times.step_ends_s[n];
    json["makespan_s"] = report.makespan_s;
    json["flops_per_s"] = program.plan.flops() / report.makespan_s;
    add_limits(json, report);
    if (report.energy) add_energy(json, *report.energy);
    json["mean_s"] = times_json(simulated->times);
    json["by_rank"] = by_rank_json(simulated->ranks);
    json["coarse"] = simulated->coarse;
    json["simulation_s"] = simulated->simulation_s;
    if (simulated->seeds) json["seeds"] = seeds_json(*simulated->seeds);
    if (report.what_if) add_what_if(json, *report.what_if);
    json["guesses"] = guesses_json(simulated->guesses);
  }
  json["peak_rss_bytes"] = peak_rss_bytes();
  return json;
}

void print_times(const ProgramCase& program, const Bounds& bounds, const SimulatedProgram& simulated) {
  const Report& report = simulated.report;
  fmt::print("makespan            {}{}, {}\n", simulated.coarse ? "about " : "",
             quantity(report.makespan_s, "s"), quantity(program.plan.flops() / report.makespan_s, "flop/s"));
  fmt::print("bound of this plan  {}\nbound of any plan   {}\nlimit               {}\n",
             bound_text(bounds.plan, report.makespan_s), bound_text(bounds.problem, report.makespan_s),
             limit_sentence(report));
  fmt::print("{}{}{}simulated in        {}, using {} of memory\n{}",
             report.energy ? fmt::format("energy              {}\n", energy_text(*report.energy)) : "",
             simulated.seeds ? seeds_text(*simulated.seeds) : "", times_line(simulated.times, 20),
             quantity(simulated.simulation_s, "s"), quantity(static_cast<double>(peak_rss_bytes()), "B"),
             guesses_text(simulated.guesses));
  if (report.what_if) fmt::print("\n{}", what_if_text(*report.what_if));
}

/// `simulated`: nullptr where it was planned alone.
void print_case(const CaseArguments& arguments, const ProgramCase& program, const Bounds& bounds,
                const SimulatedProgram* simulated) {
  if (arguments.options.json) return print_json(json_of(arguments, program, bounds, simulated));
  if (program.molecule) fmt::print("{}\n", molecule_text(*program.molecule));
  const ProgramPlan& plan = program.plan;
  std::size_t tasks = 0;
  for (const RankPlan& rank : plan.work.plan.ranks) tasks += rank.flow.tasks.size();
  fmt::print("{}\n{}", head_text(arguments, program),
             step_lines(program.program, plan, simulated ? &simulated->times.step_ends_s : kNoTimes));
  fmt::print("\nproducts of tiles   {}\nflops               {}\npermuting, adding   {} tiles\n",
             grouped(plan.work.summary.gemms), quantity(plan.flops(), "flop"),
             grouped(static_cast<std::int64_t>(tasks)));
  fmt::print("distribution        {}\n{}sent                {}\n", distribution_text(plan.distribution),
             own_strategies_line(program), bytes_text(plan.sent_bytes()));
  if (const std::string text = traffic_text(program.program, plan); !text.empty())
    fmt::print("most of it for      {}\n", text);
  if (plan.work.plan.messages_on_devices())
    fmt::print("messages            A and B are {}\n",
               device_messages_text(plan.work.plan.device_message_bytes));
  fmt::print("memory of a rank    {} at most, of {}: proven\nplanned in          {}\n",
             bytes_text(plan.work.summary.peak_host_bytes), bytes_text(program.machine.host_bytes_per_rank()),
             quantity(program.planning_s, "s"));
  if (!simulated) {
    fmt::print("bound of this plan  {}\nbound of any plan   {}\n", bound_text(bounds.plan),
               bound_text(bounds.problem));
    return;
  }
  print_times(program, bounds, *simulated);
}

}  // namespace

bool is_program(const std::string& path) {
  return is_program_file(path) || is_program_plan(path);
}

void check_sizes(const std::string& problem, const ProgramSizes& sizes, bool tile_needed) {
  const bool program = is_program_file(problem);
  for (const auto& [option, value, what, is_needed] :
       {std::tuple("--o", sizes.occupied, "the occupied orbitals of each spin", true),
        {"--v", sizes.virtuals, "the virtual orbitals of each spin", true},
        {"--tile", sizes.tile, "the largest extent of a tile", tile_needed},
        {"--vectors", sizes.vectors, "the extent of the auxiliary space", false},
        {"--vector-tile", sizes.vector_tile, "the largest extent of its tiles", false},
        {"--slices", std::int64_t{sizes.slices}, "slices of on-demand intermediates", false}}) {
    if (program && value == 0 && is_needed) throw input_error(option, "nothing", what, sizes_example(sizes));
    if (!program && value > 0)
      throw input_error(option, quote(problem), "a program, PROGRAM.txt",
                        fmt::format("name the file .txt, or leave {} out", option));
  }
}

void check_program_options(const std::string& problem, const ProgramSizes& sizes, const ProgramOptions& of) {
  check_sizes(problem, sizes, false);
  for (const auto& [option, is_given] : of.given()) {
    if (is_given && !is_program_file(problem))
      throw input_error(option, quote(problem), "a program, PROGRAM.txt",
                        fmt::format("name the file .txt, or leave {} out", option));
  }
}

Machine program_machine(const CaseArguments& arguments) {
  Machine machine = make_machine(named_platform(arguments.platform.empty() ? "here" : arguments.platform,
                                                arguments.options.platform_settings()),
                                 arguments.size);
  warn_of_doubts(machine.platform);
  return machine;
}

void refuse_for_programs(const std::string& program, const GivenOptions& given) {
  refuse_options(given, fmt::format("the program {}", quote(program)), "a problem");
}

std::string generation_rate_text(const Platform& platform) {
  return fmt::format("at {} of a core: give the rate of yours by --set platform.generation.rate=...",
                     quantity(platform.generation_bytes_per_s_per_core, "B/s"));
}

void plan_program_case(const CaseArguments& arguments, const ProgramArguments& of) {
  const ProgramCase program = program_case(arguments, of);
  store(of, program.file);
  ProgressLine line;
  const Bounds bounds = bounds_of(program, line);
  erase_progress();
  print_case(arguments, program, bounds, nullptr);
  if (!arguments.options.json) fmt::print("{}", written_text(of));
}

namespace {

/// By the fluid engine, unless SimGrid is asked for.
SimulatedProgram simulated_program(const ProgramCase& program, SimulationOptions options,
                                   ProgressLine& line) {
  const PlannedWork& work = program.plan.work;
  const Stopwatch watch;
  std::optional<ProgressSink> progress;
  if (CountFunction show = line.stage_from_first_count("simulate", work.summary.gemms))
    options.trace = &progress.emplace(std::move(show), kOperationsPerLook, options.trace);
  const SimulationResult result = simulate(work.plan, work.contraction, work.machine, options);
  SimulatedProgram simulated;
  simulated.report = make_report(result.ranks, work.machine, work.plan.grid, result.makespan_s);
  simulated.report.energy = energy_of(result.ranks, work.machine, work.plan, result.makespan_s);
  simulated.times = program_times(result.ranks);
  simulated.ranks = result.ranks;
  simulated.simulation_s = watch.seconds();
  return simulated;
}

}  // namespace

void simulate_program_case(const CaseArguments& arguments, const ProgramArguments& of,
                           const ProgramSimulation& how) {
  if (!of.output.empty()) require_writable(of.output);
  const ProgramCase program = program_case(arguments, of);
  if (how.seeds > 0) require_noise(program.machine.platform);
  ProgressLine line;
  SimulationOptions options;
  options.engine = EngineChoice::fluid;  // SimGrid runs once in a process
  options.noise_seed = how.seed;
  std::optional<WhatIf> what_if;
  if (how.what_if) what_if = what_if_of(program, options, line);
  Guesses guesses = guesses_of(program, options, line);
  if (how.engine == EngineChoice::simgrid) options.engine = how.engine;
  if (how.coarse) options.groups = coarse_groups(program.plan.work);
  std::optional<SeedTimes> seeds;
  if (how.seeds > 0) seeds = simulate_seeds(program.plan.work, options, how.seeds, line);
  const Bounds bounds = bounds_of(program, line);
  std::optional<ChromeTrace> trace;
  if (!of.trace.empty()) options.trace = &trace.emplace(of.trace);
  SimulatedProgram simulated = simulated_program(program, options, line);
  if (trace)
    trace->finish(subject_of(program.plan.work, program.file.name, "simulated", simulated.report.makespan_s));
  simulated.report.what_if = std::move(what_if);
  simulated.guesses = std::move(guesses);
  simulated.seeds = std::move(seeds);
  simulated.coarse = how.coarse;
  erase_progress();
  store(of, program.file, prediction_of(simulated.report.makespan_s, program.plan.flops()));
  print_case(arguments, program, bounds, &simulated);
  if (!arguments.options.json) fmt::print("{}", written_text(of));
}

TracedProgram trace_program_case(const CaseArguments& arguments, const ProgramArguments& of,
                                 const MakeSink& sink, ProgressLine& line) {
  const ProgramCase program = program_case(arguments, of);
  const PlannedWork& work = program.plan.work;
  const Bounds bounds = bounds_of(program, line);
  SimulationOptions options;
  options.engine = EngineChoice::fluid;
  options.trace = &sink(bounds.plan.seconds);
  SimulatedProgram simulated = simulated_program(program, options, line);
  simulated.guesses = Guesses::value_type();
  TracedProgram traced{work.machine, simulated.report, plan_digest(work.plan), {}};
  traced.report.bounds = bounds;
  traced.report.plan = fmt::format("mode {}", name_of(program.plan.mode));
  traced.json = json_of(arguments, program, bounds, &simulated);
  return traced;
}

}  // namespace foretile
