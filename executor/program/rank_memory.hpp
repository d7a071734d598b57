// SPDX-License-Identifier: BSD-3-Clause
// Host memory that one rank takes to run a program.
#pragma once

#include <cstdint>

#include "base/id.hpp"
#include "executor/gpu/choose_gpus.hpp"
#include "planner/program/planned_program.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// At its fullest level, at most: what a plan needs, and steps of a flow, count as much as the rank with most
/// needs.
struct RankMemory {
  std::int64_t host = 0;  ///< all, with buffers of OpenBLAS and with what touch_heap() takes beyond `heap`
  std::int64_t heap = 0;  ///< of these, from the heap; on GPUs the plans have pinned memory of their own
};

/// `gpus`: on platforms whose devices are GPUs; where threads or cores stand for these, device memory is host
/// memory, too.
RankMemory memory_of(const PlannedProgram& plans, const Machine& machine, GpuChoice gpus, Rank rank);

}  // namespace foretile
