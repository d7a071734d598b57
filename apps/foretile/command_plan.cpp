// SPDX-License-Identifier: BSD-3-Clause
// foretile plan PROBLEM: plans, verifies, says what the plan needs and moves.
#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "apps/foretile/case.hpp"
#include "apps/foretile/commands.hpp"
#include "apps/foretile/plan_view.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/program_view.hpp"
#include "apps/inputs_apart.hpp"
#include "apps/resources.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "planner/bound/bound.hpp"
#include "planner/plan/graph/graph.hpp"
#include "planner/strategies/compare.hpp"
#include "planner/strategies/strategy.hpp"
#include "simulator/simulated_seconds.hpp"

namespace foretile {

namespace {

struct PlanArguments : CaseArguments {
  std::string dot;
  std::string output;
  bool parameters = false;
  ProgramArguments program;
  MoleculeArguments molecule;
};

/// With the strategy that planning would take; where nothing fits, as they are.
Settings decided_settings(const Case& the_case, const Contraction& contraction, const Machine& machine) {
  if (leaves_no_choice(contraction, the_case.settings)) return the_case.settings;
  try {
    return settings_of(plan_fastest(contraction, machine, the_case.settings, {}, simulated_seconds()).plan);
  } catch (const InputError&) {
    return the_case.settings;
  }
}

/// Without planning, where there is one strategy.
void print_parameters(const PlanArguments& arguments) {
  const Case the_case = load_case(arguments);
  if (asks_for_comparison(the_case.settings))
    throw input_error("--parameters", "strategies to compare", "one strategy",
                      "name it, or leave --parameters out: for a comparison all are planned");
  const Contraction contraction = build_contraction(the_case.problem);
  const Machine machine = make_machine(the_case.platform, the_case.size);
  const Settings settings = decided_settings(the_case, contraction, machine);
  const PlanFrame frame = prepare_planner(contraction, machine, settings)->frame();
  const FrameView view{contraction, machine, frame};
  if (arguments.options.json) {
    print_json(frame_json(view));
  } else {
    fmt::print("{}", frame_text(view));
  }
}

void plan(PlanArguments& arguments) {
  arguments.program.molecule = take_molecule(arguments.molecule, arguments.problem, arguments.program.sizes,
                                             {{"--output", arguments.output}, {"--dot", arguments.dot}});
  check_program_options(arguments.problem, arguments.program.sizes, arguments.program);
  if (is_program(arguments.problem)) {
    refuse_for_programs(arguments.problem,
                        {{"--dot", !arguments.dot.empty()}, {"--parameters", arguments.parameters}});
    ProgramArguments program = arguments.program;
    program.output = arguments.output;
    return plan_program_case(arguments, program);
  }
  require_different("--output", arguments.output, "--dot", arguments.dot);
  require_different("--dot", arguments.dot, "the problem", arguments.problem);
  require_different("--dot", arguments.dot, "--platform", arguments.platform);
  require_different("--output", arguments.output, "--platform", arguments.platform);
  if (!arguments.problem.ends_with(".json"))
    require_different("--output", arguments.output, "the problem", arguments.problem);
  if (arguments.parameters) return print_parameters(arguments);
  const Stopwatch watch;
  ProgressLine line;
  const Case the_case = load_case(arguments);
  require_no_table("--output", arguments.output, the_case.settings);
  require_no_table("--dot", arguments.dot, the_case.settings);
  require_inputs_apart("--output", arguments.output, the_case.problem);
  require_inputs_apart("--dot", arguments.dot, the_case.problem);
  const PlannedWork work = plan_case(the_case, line);
  const double wall_s = watch.seconds();
  if (!arguments.dot.empty()) {
    const PlanGraph graph = build_graph(work.plan, work.contraction);
    write_atomically(arguments.dot, [&](std::ostream& out) { write_dot(out, graph); });
  }
  if (!arguments.output.empty()) {
    save_plan_file(arguments.output, make_plan_file(the_case.problem, the_case.size, work));
  }
  const CountFunction progress = line.stage("bound of the time", work.summary.gemms);
  const PlanView view{work, bounds_of(work.plan, work.contraction, work.machine, progress), wall_s,
                      asks_for_comparison(the_case.settings)};
  erase_progress();
  if (arguments.options.json) {
    print_json(plan_json(view));
    return;
  }
  fmt::print("{}", plan_text(view));
  if (!arguments.output.empty()) fmt::print("\nWritten to {}\n", one_line(arguments.output));
  if (!arguments.dot.empty()) fmt::print("\nThe graph is drawn in {}\n", one_line(arguments.dot));
}

}  // namespace

void add_plan_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("plan", "Plan a problem on a machine and prove that the plan fits");
  const auto arguments = std::make_shared<PlanArguments>();
  command->add_option("problem", arguments->problem, kProblemMeaning)->required();
  add_machine_options(*command, *arguments);
  add_size_options(*command, arguments->program.sizes);
  add_slices_option(*command, arguments->program.sizes);
  add_molecule_options(*command, arguments->molecule);
  add_program_options(*command, arguments->program);
  command->add_option("-o,--output", arguments->output, "Store the plan in this file")
      ->check(not_empty_check())
      ->type_name("FILE.json");
  command
      ->add_option("--dot", arguments->dot,
                   "Of a problem: write the graph of chunks and messages for GraphViz (`dot -Tsvg FILE`), "
                   "control edges dashed")
      ->check(not_empty_check())
      ->type_name("FILE");
  command
      ->add_flag("--parameters", arguments->parameters,
                 "Only choose parameters and grid, and print what moves between nodes. No rank is planned, "
                 "nothing is proven")
      ->excludes("--output")
      ->excludes("--dot");
  command->callback([arguments] { plan(*arguments); });
}

}  // namespace foretile
