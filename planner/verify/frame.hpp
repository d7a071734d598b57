// The numbers that belong to no rank.
#pragma once

#include "planner/plan.hpp"

namespace foretile {

/// What all other checks rely on, so that none of them counts out of bounds: the grid is that of the ranks,
/// no number is negative, staging fits into the host's budget. Throws InputError.
void check_frame(const Plan& plan);

}  // namespace foretile
