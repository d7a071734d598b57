// The numbers that belong to no rank.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// What all other checks rely on, so that none of them reads out of bounds: the grid is that of the ranks,
/// every tile has an owner among them, operands are used as the scheduler can, no number is negative, staging
/// fits into the host's budget. Throws InputError.
void check_frame(const Plan& plan, const Contraction& contraction);

}  // namespace foretile
