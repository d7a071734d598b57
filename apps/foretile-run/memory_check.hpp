// SPDX-License-Identifier: BSD-3-Clause
// Does the plan fit the memory that is really there?
#pragma once

#include <cstdint>

#include "executor/mpi/session.hpp"
#include "planner/plan/plan_file.hpp"

namespace foretile {

/// Where the address space is limited, starts the program again with OPENBLAS_NUM_THREADS=1, unless that is
/// set: each thread that OpenBLAS starts when it is loaded asks for its buffer again and again until there is
/// room. Call first in main.
void start_with_one_blas_thread(char** argv);

/// Throws InputError when a limit of the address space (ulimit -v) leaves less than MPI takes for its start:
/// MPICH over UCX crashes without. Call it before.
void require_room_for_mpi();

/// Cores of a rank that multiply; 0 where the plan is for GPUs alone.
int multiplying_cores(const PlannedWork& work);

/// Buffers that OpenBLAS takes on one rank for these.
std::int64_t blas_bytes(const PlannedWork& work);

/// Throws InputError when this node's ranks together need more than `available` bytes of host memory;
/// `devices_too`: device memory is host memory, or stands for it.
void require_memory(const PlannedWork& work, int ranks_on_node, bool devices_too, std::int64_t available);

}  // namespace foretile
