// SPDX-License-Identifier: BSD-3-Clause
// What plans take, for the planner's choices.
#pragma once

#include "planner/plan_work.hpp"

namespace foretile {

/// How long a plan takes, by a coarse simulation with the fluid engine. Noise, where the platform has any, is
/// drawn with seed 1.
WorkSeconds rehearsed_seconds();

}  // namespace foretile
