#include "apps/foretile-run/guard.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

#include "apps/foretile-run/job_signals.hpp"
#include "apps/program.hpp"

namespace foretile {

namespace {

/// Hydra 4.0 ends a failed job at once and may drop what it has not yet read of a rank's standard error.
void let_message_arrive() {
  std::fflush(nullptr);
  ::usleep(200'000);
}

[[noreturn]] void terminated() {
  const char* what = "an internal error";
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  std::fprintf(stderr, "foretile-run: %s\n", what);
  let_message_arrive();
  _exit(1);
}

}  // namespace

void run_guarded(const std::function<void(const MpiSession&)>& work) {
  const MpiSession session;
  const AbortOnSignals abort_on_signals;
  try {
    work(session);
  } catch (const AgreedError& agreed) {
    std::rethrow_exception(agreed.error);
  } catch (const FailedElsewhere&) {
    throw;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "foretile-run: rank {}: out of memory\n", session.rank());
    let_message_arrive();
    MPI_Abort(session.world(), 1);
  } catch (const std::exception& error) {
    print_message("foretile-run", fmt::format("rank {}: {}", session.rank(), error.what()));
    let_message_arrive();
    MPI_Abort(session.world(), 1);
  }
}

void end_with_a_line_on_terminate() {
  std::set_terminate(terminated);
}

void end_job_that_never_started(int exit_code) {
  int started = 0;
  MPI_Initialized(&started);
  if (started || !launched_by_mpi()) return;
  let_message_arrive();
  if (MPI_Init(nullptr, nullptr) == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace foretile
