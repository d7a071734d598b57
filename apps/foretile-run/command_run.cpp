// SPDX-License-Identifier: BSD-3-Clause
// foretile-run PLAN.json, PROBLEM or PROGRAM.txt: executes it with the ranks of this MPI job.
#include <memory>

#include "apps/foretile-run/commands.hpp"
#include "apps/foretile-run/gpu_option.hpp"
#include "apps/foretile-run/guard.hpp"
#include "apps/foretile-run/run_arguments.hpp"
#include "apps/foretile-run/run_problem.hpp"
#include "apps/foretile-run/run_program.hpp"
#include "apps/options.hpp"

namespace foretile {

namespace {

void add_output_options(CLI::App& command, RunArguments& arguments) {
  command.add_flag(
      "--verify", arguments.verify,
      "Check each tile of C by Freivalds' test; exit code 1 if rounding does not explain an error. Of "
      "a small program: compare with an evaluation in long double");
  command
      .add_option(
          "--output", arguments.output,
          "Write C to a matrix file (c.npy, c.h5:/C); of a program, the results to an HDF5 file (r.h5). "
          "Whole or not at all; after --verify only if right")
      ->check(not_empty_check())
      ->type_name("FILE");
  command
      .add_flag("--overwrite", arguments.overwrite,
                "Let --output replace an HDF5 dataset or the initial C. Other .npy files are always replaced")
      ->needs("--output");
}

void add_planning_options(CLI::App& command, RunArguments& arguments) {
  command.add_option("--platform", arguments.platform, kPlannedForMeaning)
      ->check(not_empty_check())
      ->type_name("NAME");
  add_messages_option(command, arguments.options);
  add_set_option(command, arguments.options);
  add_size_options(command, arguments.sizes);
  add_slices_option(command, arguments.sizes);
  add_program_options(command, arguments.program);
}

void add_input_options(CLI::App& command, RunArguments& arguments) {
  CLI::Option* input = command
                           .add_option("--input", arguments.input,
                                       "Of a program: the given tensors, as datasets such as \"v[hh|pp]\", "
                                       "matrices of all spin orbitals. "
                                       "Default: random numbers")
                           ->check(not_empty_check())
                           ->type_name("FILE.h5");
  command.add_option("--seed", arguments.seed, "Of a program: seed of the random given tensors. Default: 1")
      ->check(whole_number_check())
      ->type_name("N")
      ->excludes(input);
}

void add_options_of_problems(CLI::App& app, RunArguments& arguments) {
  CLI::Option* checkpoint = app.add_option("--checkpoint", arguments.checkpoint,
                                           "Keep each finished tile of C in this folder; a run of the same "
                                           "plan computes only those that are not there")
                                ->check(not_empty_check())
                                ->type_name("DIR");
  CLI::Option* assignment_out =
      app.add_option("--assignment-out", arguments.assignment_out, kAssignmentOutMeaning)
          ->check(not_empty_check())
          ->type_name("FILE")
          ->excludes(checkpoint);
  app.add_option("--assignment", arguments.assignment,
                 "Give each device the blocks that this file of --assignment-out has: C gets the same bits; "
                 "another plan is refused")
      ->check(not_empty_check())
      ->type_name("FILE")
      ->excludes(checkpoint)
      ->excludes(assignment_out);
  app.add_flag("--check-finite", arguments.check_finite,
               "Before the run, search for NaN and infinity in A, B and, where it is read, C; exit code 2 "
               "names the tile");
  app.add_option("--trace", arguments.trace, kTraceMeaning)->check(not_empty_check())->type_name("FILE");
  CLI::Option* report = app.add_option("--report", arguments.report,
                                       "Write a page for a browser: the run beside a simulation of its plan")
                            ->check(not_empty_check())
                            ->type_name("FILE.html");
  report->excludes(checkpoint);
  app.add_flag("--copies", arguments.copies,
               "On cores: device memory apart from host memory, so that tiles are copied as to a GPU");
  app.add_flag("--plan-order", arguments.plan_order, kPlanOrderMeaning);
  app.add_flag(
      "--no-bind", arguments.no_bind,
      "Let the system move threads among cores. Default: each thread is bound to a core where the job has "
      "enough cores");
}

void execute(const CLI::App& app, RunKind kind, const RunArguments& arguments) {
  const bool is_program = kind == RunKind::program || kind == RunKind::program_plan;
  const auto execute_it = is_program ? execute_program : execute_problem;
  run_guarded([&](const MpiSession& session) { execute_it(app, kind, arguments, session); });
}

}  // namespace

void add_run(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::Option* work =
      app.add_option(
             kWorkOption, arguments->what,
             "A plan file (.json); or a problem file, an example such as `c12`, or a program (.txt), which "
             "are planned first for the ranks of the job")
          ->check(not_empty_check());
  add_output_options(app, *arguments);
  add_planning_options(app, *arguments);
  add_gpu_option(app, arguments->gpu, "stand-in, or an error for a program");
  add_options_of_problems(app, *arguments);
  add_input_options(app, *arguments);
  add_json_option(app, arguments->options);
  app.callback([&app, work, arguments] {
    if (!app.get_subcommands().empty()) return;
    if (work->count() == 0) throw CLI::RequiredError("a plan, a problem or a program");
    execute(app, kind_of(arguments->what), *arguments);
  });
}

void add_program_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("program", "Run a program of contractions (docs/programs.md)");
  command->group("");
  const auto arguments = std::make_shared<RunArguments>();
  command->add_option(kWorkOption, arguments->what, "A program, FILE.txt, or a plan of one, PLAN.json")
      ->check(not_empty_check())
      ->required();
  add_output_options(*command, *arguments);
  add_planning_options(*command, *arguments);
  add_gpu_option(*command, arguments->gpu, "an error");
  add_input_options(*command, *arguments);
  add_json_option(*command, arguments->options);
  command->callback([command, arguments] {
    const bool is_stored = kind_of(arguments->what) == RunKind::program_plan;
    execute(*command, is_stored ? RunKind::program_plan : RunKind::program, *arguments);
  });
}

}  // namespace foretile
