// SPDX-License-Identifier: BSD-3-Clause
// Host memory that one rank takes to run a program.
#pragma once

#include <cstdint>

#include "executor/gpu/choose_gpus.hpp"
#include "planner/program/program_plan.hpp"

namespace foretile {

/// At most: every rank counts as much as the one with most needs.
struct RankMemory {
  std::int64_t host = 0;  ///< all, with buffers of OpenBLAS and with what touch_heap() takes beyond `heap`
  std::int64_t heap = 0;  ///< of these, from the heap; on GPUs the plan has pinned memory beside tensors
};

/// `gpus`: on platforms whose devices are GPUs; where threads or cores stand for these, device memory is host
/// memory, too.
RankMemory memory_of(const ProgramPlan& plan, GpuChoice gpus);

}  // namespace foretile
