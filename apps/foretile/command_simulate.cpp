// SPDX-License-Identifier: BSD-3-Clause
// foretile simulate PROBLEM|PLAN.json: simulates the plan and says what limits it.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "apps/foretile/case.hpp"
#include "apps/foretile/coarse.hpp"
#include "apps/foretile/commands.hpp"
#include "apps/foretile/original_case.hpp"
#include "apps/foretile/plan_view.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/program_view.hpp"
#include "apps/foretile/seeds.hpp"
#include "apps/foretile/what_if.hpp"
#include "apps/inputs_apart.hpp"
#include "apps/quantities.hpp"
#include "apps/replay.hpp"
#include "apps/resources.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "planner/plan/assignment.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/program/program_file.hpp"
#include "planner/strategies/compare.hpp"
#include "scheduler/report/chrome_trace.hpp"
#include "scheduler/report/progress_sink.hpp"
#include "scheduler/report/report.hpp"
#include "scheduler/report/report_json.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

namespace {

struct SimulateArguments : CaseArguments {
  std::string output;
  std::string trace;
  std::string assignment;      ///< file to replay; empty: none
  std::string assignment_out;  ///< file to write; empty: none
  std::uint64_t seed = 1;
  int seeds = 0;  ///< simulated from `seed` on, for a band; 0: none
  bool coarse = false;
  bool plan_order = false;
  bool what_if = false;
  EngineChoice engine = EngineChoice::automatic;
  ProgramArguments program;
  MoleculeArguments molecule;
  OriginalArguments original;
};

struct Times {
  double wall_s = 0;
  double simulation_s = 0;
};

/// How far a coarse simulation is from the one in full; without `full` that takes too long.
struct Difference {
  std::optional<FullStart> full;
  double coarse = 0;

  std::string text() const { return full ? coarse_text(*full, coarse) : not_compared_text(); }
  nlohmann::ordered_json json() const {
    if (!full) return {{"difference", nullptr}, {"compared_products", 0}};
    return {{"difference", coarse},
            {"whole", full->is_whole()},
            {"compared_products", std::llround(full->products)},
            {"compared_s", full->seconds}};
  }
};

/// Waits as long as the coarse simulation took, at least a minute.
Difference difference_of(FullStartRun& full, const ProductTimes& coarse, double makespan_s, double took_s) {
  constexpr double kLeast_s = 60;
  const std::optional<FullStart> start = full.result(std::max(kLeast_s, took_s));
  if (!start) return {};
  return {start, coarse_difference(*start, coarse.done_by(start->seconds), makespan_s)};
}

void print(const SimulateArguments& arguments, const PlannedWork& work, const Report& report,
           EngineChoice engine, const Times& times, const std::optional<Difference>& difference,
           const Guesses& guesses, const std::optional<SeedTimes>& seeds, const std::string& compared) {
  if (arguments.options.json) {
    nlohmann::ordered_json json = report_json(report);
    json["peak_host_bytes"] = work.summary.peak_host_bytes;
    json["memory_ratio"] = memory_ratio(work);
    json["wall_s"] = times.wall_s;
    json["simulation_s"] = times.simulation_s;
    json["engine"] = name_of(engine);
    if (difference) json["coarse"] = difference->json();
    add_compared(json, work);
    if (seeds) json["seeds"] = seeds_json(*seeds);
    json["guesses"] = guesses_json(guesses);
    json["peak_rss_bytes"] = peak_rss_bytes();
    print_json(json);
    return;
  }
  std::string guesses_note = guesses_text(guesses);
  if (!guesses_note.empty()) guesses_note += '\n';
  fmt::print("{}\n{}{}{}{}{}simulated by {} in {}, with planning {}, using {} of memory\n",
             report_text(report), seeds ? seeds_text(*seeds) : "", guesses_note,
             compared.empty() ? compared : fmt::format("{}\n", compared),
             report.what_if ? what_if_text(*report.what_if) + "\n" : "", difference ? difference->text() : "",
             engine == EngineChoice::fluid ? "the fluid engine" : "SimGrid",
             quantity(times.simulation_s, "s"), quantity(times.wall_s, "s"),
             quantity(static_cast<double>(peak_rss_bytes()), "B"));
  if (!arguments.output.empty()) fmt::print("\nWritten to {}\n", one_line(arguments.output));
  if (!arguments.assignment_out.empty())
    fmt::print("\nThe assignment of blocks is in {}\n", one_line(arguments.assignment_out));
  if (!arguments.trace.empty())
    fmt::print("\nThe trace is in {}; open it at ui.perfetto.dev\n", one_line(arguments.trace));
}

void store(const std::string& path, const Case& the_case, const PlannedWork& work, const Report& report) {
  PlanFile file = make_plan_file(the_case.problem, the_case.size, work);
  file.predicted = Prediction{report.makespan_s, report.flops_per_s()};
  save_plan_file(path, file);
}

void require_outputs_apart(const SimulateArguments& arguments) {
  require_different("--output", arguments.output, "--trace", arguments.trace);
  require_different("--trace", arguments.trace, "the problem", arguments.problem);
  for (const auto& [other, path] : {std::pair("--output", arguments.output),
                                    {"--trace", arguments.trace},
                                    {"the problem", arguments.problem}})
    require_different("--assignment-out", arguments.assignment_out, other, path);
  require_different("--trace", arguments.trace, "--assignment", arguments.assignment);
  for (const auto& [option, path] : {std::pair("--output", arguments.output),
                                     {"--trace", arguments.trace},
                                     {"--assignment-out", arguments.assignment_out}})
    require_different(option, path, "--platform", arguments.platform);
  if (!arguments.problem.ends_with(".json"))
    require_different("--output", arguments.output, "the problem", arguments.problem);
}

/// Other libraries have no plan and no modes, and keep all given tensors.
void simulate_original(const SimulateArguments& arguments) {
  if (is_program_plan(arguments.problem))
    throw input_error("--original", fmt::format("the plan {}", quote(arguments.problem)), "PROGRAM.txt",
                      "it has no plan: name the program");
  if (!arguments.output.empty())
    throw input_error("--output", "it beside --original", "one of the two",
                      "leave --output out: nothing is planned");
  if (arguments.program.flows())
    throw input_error("--mode", "flow beside --original or what belongs to it", "one of the two",
                      "leave --mode out: it goes level by level");
  if (!arguments.program.on_demand.empty())
    throw input_error("--on-demand", "it beside --original", "one of the two",
                      "leave --on-demand out: all given tensors are kept");
  if (arguments.program.sizes.slices > 0)
    throw input_error("--slices", "it beside --original", "one of the two",
                      "leave --slices out: it has an order of its own");
  if (arguments.coarse)
    throw input_error("--coarse", "it beside --original", "one of the two",
                      "leave --coarse out: it simulates in full");
  if (arguments.what_if)
    throw input_error("--what-if", "it beside --original", "one of the two",
                      "leave --what-if out: there is nothing to plan again");
  if (!arguments.program.distribution.empty())
    throw input_error("--distribution", "it beside --original", "one of the two",
                      "leave --distribution out: it distributes blocks in its own way");
  refuse_for_programs(arguments.problem, {{"--seed", arguments.seed != 1},
                                          {"--engine", arguments.engine != EngineChoice::automatic}});
  simulate_original_case(arguments, arguments.program.sizes, arguments.original, arguments.trace);
}

void simulate_program(const SimulateArguments& arguments) {
  refuse_for_programs(arguments.problem, {{"--assignment", !arguments.assignment.empty()},
                                          {"--assignment-out", !arguments.assignment_out.empty()},
                                          {"--plan-order", arguments.plan_order}});
  require_different("--trace", arguments.trace, "the program", arguments.problem);
  require_different("--trace", arguments.trace, "--platform", arguments.platform);
  require_different("--output", arguments.output, "--trace", arguments.trace);
  if (arguments.original.any()) return simulate_original(arguments);
  ProgramArguments program = arguments.program;
  program.trace = arguments.trace;
  program.output = arguments.output;
  simulate_program_case(
      arguments, program,
      {arguments.seed, arguments.seeds, arguments.engine, arguments.coarse, arguments.what_if});
}

void simulate_case(SimulateArguments& arguments) {
  arguments.molecule.as_exachem = arguments.original.is_tamm();
  arguments.program.molecule = arguments.original.molecule =
      take_molecule(arguments.molecule, arguments.problem, arguments.program.sizes,
                    {{"--output", arguments.output}, {"--trace", arguments.trace}});
  check_program_options(arguments.problem, arguments.program.sizes, arguments.program);
  if (is_program(arguments.problem)) return simulate_program(arguments);
  if (arguments.original.any())
    throw input_error("--original", quote(arguments.problem), "a program, PROGRAM.txt", "leave it out");
  require_outputs_apart(arguments);
  const Stopwatch watch;
  ProgressLine line;
  const Case the_case = load_case(arguments);
  if (arguments.seeds > 0) require_noise(the_case.platform);
  require_no_table("--output", arguments.output, the_case.settings);
  require_no_table("--trace", arguments.trace, the_case.settings);
  require_no_table("--assignment-out", arguments.assignment_out, the_case.settings);
  for (const auto& [option, path] : {std::pair("--output", arguments.output),
                                     {"--trace", arguments.trace},
                                     {"--assignment-out", arguments.assignment_out}})
    require_inputs_apart(option, path, the_case.problem);
  std::optional<ChromeTrace> trace;
  if (!arguments.trace.empty()) trace.emplace(arguments.trace);
  if (!arguments.output.empty()) require_writable(arguments.output);
  if (!arguments.assignment_out.empty()) require_writable(arguments.assignment_out);
  PlannedWork work = plan_case(the_case, line);
  if (!arguments.assignment_out.empty()) require_open_pool(work.plan, "--assignment-out");
  const std::string plan_with_pool = plan_digest(work.plan);
  if (!arguments.assignment.empty()) replay(arguments.assignment, work);
  SimulationOptions options;
  options.noise_seed = arguments.seed;
  options.in_plan_order = arguments.plan_order;
  options.engine = arguments.engine;
  std::optional<WhatIf> what_if;
  if (arguments.what_if) what_if = foretile::what_if(the_case, work, options, line);
  const Guesses guesses = deciding_guesses(the_case, work, options, line);
  std::optional<SeedTimes> seeds;
  if (arguments.seeds > 0) {
    SimulationOptions of_each = options;
    if (arguments.coarse) of_each.groups = coarse_groups(work);
    seeds = simulate_seeds(work, of_each, arguments.seeds, line);
  }
  const Bounds bounds = bounds_of(work.plan, work.contraction, work.machine,
                                  line.stage("bound of the time", work.summary.gemms));
  options.trace = trace ? &*trace : nullptr;
  std::optional<ProgressSink> progress;
  if (CountFunction show = line.stage_from_first_count("simulate", work.summary.gemms))
    options.trace = &progress.emplace(std::move(show), kOperationsPerLook, options.trace);
  std::optional<FullStartRun> full;
  std::optional<ProductTimes> coarse;
  const Stopwatch simulation;
  if (arguments.coarse) {
    options.groups = coarse_groups(work);
    full.emplace(work, options);
    options.trace = &coarse.emplace(options.trace);
  }
  const SimulationResult result = simulate(work.plan, work.contraction, work.machine, options);
  if (trace) trace->finish(subject_of(work, work.contraction.name, "simulated", result.makespan_s));
  std::optional<Difference> difference;
  if (full) difference = difference_of(*full, *coarse, result.makespan_s, simulation.seconds());
  const Times times{watch.seconds(), simulation.seconds()};
  Report report = make_report(result.ranks, work.machine, work.plan.grid, result.makespan_s);
  add_plan(report, work.contraction, work.machine, work.plan);
  report.what_if = std::move(what_if);
  report.bounds = bounds;
  report.energy = energy_of(result.ranks, work.machine, work.plan, result.makespan_s);
  report.decision = work.decision;
  if (!arguments.output.empty()) store(arguments.output, the_case, work, report);
  if (!arguments.assignment_out.empty())
    save_assignment(arguments.assignment_out, {plan_with_pool, result.assignment});
  erase_progress();
  const std::string compared = asks_for_comparison(the_case.settings) ? compared_text(work) : "";
  print(arguments, work, report, result.engine, times, difference, guesses, seeds, compared);
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("simulate", "Simulate a plan on a model of the machine");
  const auto arguments = std::make_shared<SimulateArguments>();
  command->add_option("problem", arguments->problem, kProblemMeaning)->required();
  add_machine_options(*command, *arguments);
  add_size_options(*command, arguments->program.sizes);
  add_slices_option(*command, arguments->program.sizes);
  add_molecule_options(*command, arguments->molecule);
  add_program_options(*command, arguments->program);
  add_original_options(*command, arguments->original);
  CLI::Option* trace = command->add_option("--trace", arguments->trace, kTraceMeaning)
                           ->check(not_empty_check())
                           ->type_name("FILE");
  command->add_option("--seed", arguments->seed, "Seed of the noise, where the platform has keys noise.*")
      ->check(whole_number_check())
      ->capture_default_str();
  CLI::Option* seeds = command
                           ->add_option("--seeds", arguments->seeds,
                                        "Simulate this plan with so many seeds, from --seed on: print the "
                                        "median of the times and the band of 90% of them")
                           ->check(CLI::Range(kFewestSeeds, kMostSeeds))
                           ->type_name("N");
  command->add_flag("--coarse", arguments->coarse,
                    "Faster: simulate products and loads of a chunk in groups. The difference from a full "
                    "simulation is printed, but for programs");
  add_engine_option(*command, arguments->engine, "simgrid, where it is built in and can take the machine");
  command->add_flag("--plan-order", arguments->plan_order, kPlanOrderMeaning);
  CLI::Option* what_if = command->add_flag(
      "--what-if", arguments->what_if,
      "Find out what helps: plan and simulate again with each resource of the machine twice as good");
  CLI::Option* output = command
                            ->add_option("-o,--output", arguments->output,
                                         "Store the plan, with its predicted time, in this file")
                            ->check(not_empty_check())
                            ->type_name("FILE.json");
  CLI::Option* assignment_out =
      command->add_option("--assignment-out", arguments->assignment_out, kAssignmentOutMeaning)
          ->check(not_empty_check())
          ->type_name("FILE");
  command
      ->add_option(
          "--assignment", arguments->assignment,
          "Give each device the blocks that this file of --assignment-out has; another plan is refused")
      ->check(not_empty_check())
      ->type_name("FILE")
      ->excludes(assignment_out)
      ->excludes(what_if)
      ->excludes(output);
  for (CLI::Option* const other : {trace, command->get_option("--original"), what_if, output, assignment_out})
    seeds->excludes(other);
  command->callback([arguments] { simulate_case(*arguments); });
}

}  // namespace foretile
