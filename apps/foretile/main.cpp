// SPDX-License-Identifier: BSD-3-Clause
// foretile: the program for the laptop. It needs neither MPI nor a GPU.
#include <cstdio>
#include <memory>
#include <new>

#include "apps/foretile/commands.hpp"
#include "apps/help_format.hpp"
#include "apps/program.hpp"
#include "base/signals.hpp"
#include "simulator/simgrid/simgrid.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App app(
      "Plan, simulate and tune matrix products and tensor contractions, block-sparse or dense, on clusters.",
      "foretile");
  app.formatter(std::make_shared<foretile::HelpFormat>());
  app.set_version_flag("--version", "foretile " FORETILE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "foretile COMMAND --help tells more. Exit codes: 0 done, 1 the work failed, 2 wrong usage or input.");
  foretile::add_problem_command(app);
  foretile::add_show_command(app);
  foretile::add_compare_command(app);
  foretile::add_platform_command(app);
  foretile::add_plan_command(app);
  foretile::add_simulate_command(app);
  foretile::add_tune_command(app);
  foretile::add_report_command(app);
  return foretile::run_program(app, argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  if (!foretile::has_stack("foretile")) return 2;
  foretile::end_on_signals();
  foretile::use_simgrid();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {  // before there was a command to run
    std::fputs("foretile: out of memory\n", stderr);
    return 1;
  }
}
