// SPDX-License-Identifier: BSD-3-Clause
// How a signal to one rank, or to mpiexec, ends the whole job.
#pragma once

namespace foretile {

/// SIGINT, SIGTERM and SIGHUP end the job with 128 + their number, from construction to the end of the
/// process.
///
/// A thread waits for the signals and calls MPI_Abort. Ranks that merely exit leave mpiexec's exit code to
/// chance: Hydra 4.0 loses the codes of ranks that it reaps after it has passed a signal on, and it waits for
/// ever for ranks that exit before MPI_Init. A signal that comes before MPI_Init therefore waits for its end.
class JobSignals {
 public:
  JobSignals();
};

/// MPI_Abort may be called while it lives: from the end of MPI_Init to the begin of MPI_Finalize.
class AbortOnSignals {
 public:
  AbortOnSignals();
  ~AbortOnSignals();
  AbortOnSignals(const AbortOnSignals&) = delete;
  AbortOnSignals& operator=(const AbortOnSignals&) = delete;
};

/// Whether mpiexec or a batch system started this process as one of several ranks.
bool launched_by_mpi();

}  // namespace foretile
