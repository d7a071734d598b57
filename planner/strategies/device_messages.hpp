// SPDX-License-Identifier: BSD-3-Clause
// Plans whose ranks receive broadcasts in memory of their devices (GPU-aware MPI).
#pragma once

#include <functional>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// That machine with so much less memory on each device. Throws InputError where nothing is left.
Machine without_memory_for_messages(const Machine& machine, std::int64_t bytes);

/// Throws InputError where cores compute beside GPUs, which read tiles in host memory.
void require_gpus_alone(const PlanFrame& frame);

/// The plan of such a machine, with that memory for messages. Throws InputError for memory, 0 is none, where
/// cores compute beside GPUs.
Plan with_bytes_for_messages(Plan plan, std::int64_t bytes);

/// A plan for devices with so much less memory as messages need at their worst moment in that very plan:
/// planned again with more room, a few times at most, while it is too little. Throws InputError where cores
/// compute beside GPUs, where messages leave no memory for tiles, and what `plan` throws.
Plan with_room_for_messages(const Contraction& contraction, const Machine& machine,
                            const std::function<Plan(const Machine&)>& plan);

}  // namespace foretile
