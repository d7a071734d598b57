// SPDX-License-Identifier: BSD-3-Clause
// foretile-run: executes plans and measures machines, under mpiexec. It needs no SimGrid.
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "apps/foretile-run/commands.hpp"
#include "apps/foretile-run/guard.hpp"
#include "apps/foretile-run/job_signals.hpp"
#include "apps/foretile-run/same_start.hpp"
#include "apps/foretile-run/start_check.hpp"
#include "apps/help_format.hpp"
#include "apps/program.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/mpi/session.hpp"

namespace {

/// Tiles come and go by the thousand: keep their memory instead of asking the system for fresh pages each
/// time.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 1 << 26);
}

int run(int argc, char** argv) {
  CLI::App app(
      "Execute a plan, a problem or a program of contractions on this machine, or calibrate the machine.\n\n"
      "  mpiexec -n RANKS foretile-run PLAN.json --verify\n"
      "  mpiexec -n RANKS foretile-run PROBLEM.toml --verify\n"
      "  mpiexec -n RANKS foretile-run PROGRAM.txt --o N --v N --tile N --verify\n"
      "  mpiexec -n 2 foretile-run calibrate",
      "foretile-run");
  app.formatter(std::make_shared<foretile::HelpFormat>());
  app.set_version_flag("--version", "foretile-run " FORETILE_VERSION);
  app.footer("Exit codes: 0 done, 1 the work failed, 2 wrong usage or input.");
  foretile::add_run(app);
  foretile::add_program_command(app);
  foretile::add_calibrate_command(app);
  foretile::add_gpus_command(app);
  std::string unsaid;  // all ranks of a job may have the same to say
  const int code =
      foretile::run_program(app, argc, argv, [&](std::string_view program, std::string_view text) {
        int started = 0;
        MPI_Initialized(&started);
        if (started != 0) return foretile::print_message(program, text);
        unsaid = text;
      });
  return foretile::leave_job(app, code, unsaid);
}

int exit_code_of(int argc, char** argv) {
  try {
    foretile::choose_blas_kernels();
    const foretile::JobSignals signals;
    keep_freed_memory();
    return run(argc, argv);
  } catch (const foretile::FailedElsewhere& elsewhere) {
    return elsewhere.exit_code;
  } catch (const std::bad_alloc&) {
    std::fputs("foretile-run: out of memory\n", stderr);
    return 1;
  } catch (const std::exception& error) {  // before there was a command to run
    std::fprintf(stderr, "foretile-run: %s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!foretile::has_stack("foretile-run")) {
    foretile::end_job_that_never_started(2);
    return 2;
  }
  foretile::end_with_a_line_on_terminate();
  foretile::start_with_one_blas_thread(argv);
  const int code = exit_code_of(argc, argv);
  if (code == 0) return 0;
  foretile::end_job_that_never_started(code);
  std::fflush(nullptr);
  ::_exit(code);  // OpenBLAS's end waits for threads that found no memory
}
