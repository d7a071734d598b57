// SPDX-License-Identifier: BSD-3-Clause
// Plans whose tiles of C are finished one after another.
#pragma once

#include "planner/plan/plan_file.hpp"

namespace foretile {

/// For runs that keep finished tiles. Where the plan of the file computes C in a few blocks, whose tiles are
/// finished together, the same work in 16 blocks for each device, or as many as it has tiles: with the same
/// owners and chunks as deep, so that C gets the same bits. `planned` where there are enough blocks, where
/// the strategy has no block sizes, and where smaller blocks do not fit.
PlannedWork with_steady_blocks(const PlanFile& file, PlannedWork planned);

}  // namespace foretile
