// SPDX-License-Identifier: BSD-3-Clause
// Does the plan fit the memory that is really there?
#pragma once

#include <cstdint>
#include <string_view>

#include "executor/mpi/session.hpp"
#include "planner/plan/plan_file.hpp"

namespace foretile {

/// Bytes that this node could still give to programs.
std::int64_t available_memory_bytes();

/// Cores of a rank that multiply; 0 where the plan is for GPUs alone.
int multiplying_cores(const PlannedWork& work);

/// Buffers that OpenBLAS takes on one rank for these.
std::int64_t blas_bytes(const PlannedWork& work);

/// Throws InputError, which ends with `advice`, when ranks of at most `rank_bytes` each need more than
/// `available`.
void require_free_memory(std::int64_t rank_bytes, int ranks_on_node, std::int64_t available,
                         std::string_view advice);

/// Throws InputError when this node's ranks together need more than `available` bytes of host memory;
/// `devices_too`: device memory is host memory, or stands for it.
void require_memory(const PlannedWork& work, int ranks_on_node, bool devices_too, std::int64_t available);

}  // namespace foretile
