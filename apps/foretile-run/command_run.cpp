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
  command.add_flag("--verify", arguments.verify,
                   "Check each tile of C: Freivalds' test, and a reference when small; of a program: compare "
                   "the results with a plain evaluation in long double, for small tensors");
  command
      .add_option(
          "--output", arguments.output,
          "Write C to a matrix file, whole or not at all: c.npy, c.h5:/C; of a program, the results to "
          "an HDF5 file: r.h5")
      ->check(not_empty_check())
      ->type_name("FILE");
  command
      .add_flag("--overwrite", arguments.overwrite,
                "Let --output replace datasets that are there, or the initial C")
      ->needs("--output");
}

void add_planning_options(CLI::App& command, RunArguments& arguments) {
  command
      .add_option(
          "--platform", arguments.platform,
          "Of a problem or a program: what is planned for, a name of foretile platform list (here: this "
          "machine, unless given), or a platform file")
      ->check(not_empty_check());
  add_set_option(command, arguments.options);
  add_size_options(command, arguments.sizes);
  add_program_options(command, arguments.program);
}

void add_input_options(CLI::App& command, RunArguments& arguments) {
  CLI::Option* input =
      command
          .add_option(
              "--input", arguments.input,
              "Of a program: the given tensors, as datasets of an HDF5 file: \"v[hh|pp]\", a matrix of "
              "all spin orbitals")
          ->check(not_empty_check())
          ->type_name("FILE.h5");
  command
      .add_option("--seed", arguments.seed,
                  "Of a program: of random numbers for the given tensors (1, unless given)")
      ->check(whole_number_check())
      ->type_name("N")
      ->excludes(input);
}

void add_options_of_problems(CLI::App& app, RunArguments& arguments) {
  CLI::Option* checkpoint =
      app.add_option(
             "--checkpoint", arguments.checkpoint,
             "Keep finished tiles of C in a folder; a run that died goes on where the folder has them")
          ->check(not_empty_check())
          ->type_name("DIR");
  CLI::Option* assignment_out = app.add_option("--assignment-out", arguments.assignment_out,
                                               "Write which device took which block, with sharing=dynamic")
                                    ->check(not_empty_check())
                                    ->type_name("FILE")
                                    ->excludes(checkpoint);
  app.add_option("--assignment", arguments.assignment,
                 "Give each device the blocks that it took when this file was written: C gets the same bits")
      ->check(not_empty_check())
      ->type_name("FILE")
      ->excludes(checkpoint)
      ->excludes(assignment_out);
  app.add_flag("--check-finite", arguments.check_finite,
               "First look for NaN and infinity in A, B and, where it is read, C");
  app.add_option("--trace", arguments.trace, "Write what happened when, for Perfetto or chrome://tracing")
      ->check(not_empty_check());
  app.add_flag("--copies", arguments.copies,
               "Keep device memory apart from host memory: tiles are really copied");
  app.add_flag("--plan-order", arguments.plan_order,
               "Keep loads to the plan's order, so that their counts do not depend on time");
  app.add_flag(
      "--no-bind", arguments.no_bind,
      "Let the system move threads among cores; otherwise each has a core of its own where the job has "
      "all of the node");
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
      app.add_option(kWorkOption, arguments->what,
                     "A plan file by foretile plan, simulate or tune; a problem file or an example, such as "
                     "c12; or a program of contractions, FILE.txt. Problems and programs are planned first, "
                     "as foretile plan plans them")
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
