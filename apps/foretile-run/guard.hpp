// SPDX-License-Identifier: BSD-3-Clause
// What fails on one rank alone must end all of them.
#pragma once

#include <functional>

#include "executor/mpi/session.hpp"

namespace foretile {

/// Runs `work` from the start of MPI to its end. An error that the ranks agreed on (see agree()) is thrown
/// on; any other prints one line and aborts the whole job with exit code 1. Throws InputError where there is
/// no room for MPI.
void run_guarded(const std::function<void(const MpiSession&)>& work);

/// Makes std::terminate, which a failing destructor or a failing thread calls, print one line and end the
/// process with exit code 1. mpiexec then ends the other ranks.
void end_with_a_line_on_terminate();

/// Ends the whole job when this rank failed before it started MPI: the others would wait in MPI_Init for
/// ever, because mpiexec takes such a rank's end for that of a program without MPI. Returns where there is
/// no such job.
void end_job_that_never_started(int exit_code);

}  // namespace foretile
