// SPDX-License-Identifier: BSD-3-Clause
// Does the plan fit the memory that is really there?
#pragma once

#include <cstdint>

#include "executor/mpi/session.hpp"
#include "planner/plan_file.hpp"

namespace foretile {

/// Cores of a rank that multiply; 0 where the plan is for GPUs alone.
int multiplying_cores(const PlannedWork& work);

/// Buffers that OpenBLAS takes on one rank for these.
std::int64_t blas_bytes(const PlannedWork& work);

/// Throws InputError when this node's ranks together need more than `available` bytes of host memory;
/// `devices_too`: device memory is host memory, or stands for it.
void require_memory(const PlannedWork& work, int ranks_on_node, bool devices_too, std::int64_t available);

}  // namespace foretile
