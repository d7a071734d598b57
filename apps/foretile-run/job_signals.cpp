// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/job_signals.hpp"

#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/progress.hpp"
#include "base/signals.hpp"
#include "base/temporary_files.hpp"

namespace foretile {

namespace {

enum class Stage { mpi_starts, mpi_runs, mpi_ended };

constexpr int kStart_s = 5;  // more than MPI_Init takes
constexpr int kAbort_s = 2;  // more than MPI_Abort takes

std::atomic<Stage> stage{Stage::mpi_starts};
std::atomic<int> arrived{0};
std::atomic<bool> file_lost{false};
sem_t signalled;
bool thread_runs = false;

[[noreturn]] void end_now() {
  end_by_signal(arrived);
}

void await_start() {
  for (int tenths = 0; stage == Stage::mpi_starts && tenths < 10 * kStart_s; ++tenths) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

/// MPI was started without support for calls from several threads. MPI_Abort works nevertheless in MPICH and
/// Open MPI; should it hang, SIGALRM ends the process.
void abort_job() {
  remove_temporary_files();
  erase_progress();
  std::signal(SIGALRM, [](int) { end_now(); });
  ::alarm(kAbort_s);
  std::atexit([] { end_now(); });  // no destructors while other threads still work
  MPI_Abort(MPI_COMM_WORLD, file_lost ? 1 : 128 + arrived);
}

/// Another rank never came to MPI_Init. mpiexec ends all ranks when one is killed by a signal.
void end_without_mpi() {
  remove_temporary_files();
  std::signal(arrived, SIG_DFL);
  ::kill(::getpid(), arrived);
}

void* end_job(void*) {
  while (::sem_wait(&signalled) != 0) continue;
  if (launched_by_mpi()) {
    await_start();
    if (stage == Stage::mpi_runs) abort_job();
    if (stage == Stage::mpi_starts) end_without_mpi();
  }
  end_now();
}

void wake_thread(int number) {
  arrived = number;
  ::sem_post(&signalled);
}

/// A page of a mapped file is not there any more. The thread that wanted it cannot go on.
void wait_for_end(int number) {
  constexpr std::string_view kLine =
      "foretile-run: a file that is mapped to memory was cut off, or its disk failed, while it was used\n";
  file_lost = true;
  static_cast<void>(::write(STDERR_FILENO, kLine.data(), kLine.size()) + 0);
  wake_thread(number);
  for (;;) ::pause();
}

bool start_thread() {
  constexpr std::size_t kStackBytes = 256 << 10;  // address space may be limited
  pthread_attr_t attributes;
  pthread_t thread = {};
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  const bool started = ::pthread_create(&thread, &attributes, end_job, nullptr) == 0;
  ::pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

JobSignals::JobSignals() {
  ::sem_init(&signalled, 0, 0);
  thread_runs = start_thread();
  catch_signals(thread_runs ? wake_thread : end_by_signal);
}

AbortOnSignals::AbortOnSignals() {
  catch_signals(thread_runs ? wake_thread : end_by_signal);  // again: UCX, below MPI, takes SIGHUP
  if (thread_runs) std::signal(SIGBUS, wait_for_end);
  stage = Stage::mpi_runs;
}

AbortOnSignals::~AbortOnSignals() {
  stage = Stage::mpi_ended;
}

bool launched_by_mpi() {
  constexpr std::array variables{"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
  return std::any_of(variables.begin(), variables.end(), [](const char* name) { return std::getenv(name); });
}

}  // namespace foretile
