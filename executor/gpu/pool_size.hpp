// SPDX-License-Identifier: BSD-3-Clause
// How much memory the tiles of one device take at most.
#pragma once

#include <cstddef>
#include <cstdint>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// Enough for all that the scheduler ever puts on the device within the plan's budget, each tile rounded up
/// as the arena does it; never more than all tiles of the blocks that the device may get take together.
std::int64_t device_pool_bytes(const Contraction& contraction, const PlanFrame& frame, const RankPlan& rank,
                               std::size_t device);

}  // namespace foretile
