// SPDX-License-Identifier: BSD-3-Clause
// Which rank keeps which block of a program's tensors, so that its plans send least?
#pragma once

#include <vector>

#include "base/id.hpp"
#include "planner/program/step_plan.hpp"

namespace foretile {

/// By tensor and block (ProgramDistribution::owners), for plans like these, which may have other owners: who
/// keeps a tile of A or B that it needs, or has what is added to a block, saves its message. (A strategy may
/// move tiles of A or B before it multiplies them: then the rank to which it moves them.) Of all blocks and
/// ranks of a tensor those that save most come first; no rank gets more of a tensor than its share and one
/// block. What then is left goes to ranks that have least. A copied block counts for the owner of the block
/// to which it is added, so results come before what is copied to them.
/// Terms at owners (ProgramDistribution::at_owners) follow: who computes them now does not count.
/// `distribution`: with which they were planned, but for that.
std::vector<std::vector<Rank>> choose_owners(const FusedProgram& program,
                                             const ProgramDistribution& distribution,
                                             const std::vector<StepPlan>& plans);

}  // namespace foretile
