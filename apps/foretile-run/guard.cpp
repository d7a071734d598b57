// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/guard.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "apps/foretile-run/job_signals.hpp"
#include "apps/foretile-run/start_check.hpp"
#include "apps/program.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"

namespace foretile {

namespace {

/// All ranks of a node lack it: rank 0 says so and ends the job, the others only where they outlive it.
void require_room() {
  try {
    require_room_for_mpi();
  } catch (const InputError&) {
    const char* const rank = std::getenv("PMI_RANK");
    if (rank && std::string_view(rank) != "0") ::sleep(10);
    throw;
  }
}

/// Without asking for memory.
void print_plainly(const char* text) {
  erase_progress();
  std::fprintf(stderr, "foretile-run: %s\n", text);
}

[[noreturn]] void terminated() {
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
    print_plainly("an internal error");
  } catch (const std::bad_alloc&) {
    print_plainly("out of memory");
  } catch (const std::exception& error) {
    try {
      print_message("foretile-run", explained(error));
    } catch (...) {
      print_plainly("an internal error, and out of memory");
    }
  } catch (...) {
    print_plainly("an internal error");
  }
  let_message_arrive();
  _exit(1);
}

}  // namespace

void run_guarded(const std::function<void(const MpiSession&)>& work) {
  require_room();
  const MpiSession session;
  const AbortOnSignals abort_on_signals;
  try {
    work(session);
  } catch (const AgreedError& agreed) {
    std::rethrow_exception(agreed.error);
  } catch (const FailedElsewhere&) {
    throw;
  } catch (const std::bad_alloc&) {
    erase_progress();
    std::fprintf(stderr, "foretile-run: rank %d: out of memory\n", static_cast<int>(session.rank()));
    abort_job(session.world(), 1);
  } catch (const std::exception& error) {
    print_message("foretile-run", fmt::format("rank {}: {}", session.rank(), explained(error)));
    abort_job(session.world(), 1);
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
  if (ask_for_abort(exit_code)) {
    // A rank that ends before the launcher has read this counts as lost.
    constexpr unsigned kWaitForLauncher_s = 10;
    ::sleep(kWaitForLauncher_s);
    return;
  }
  if (MPI_Init(nullptr, nullptr) == MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace foretile
