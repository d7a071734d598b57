// SPDX-License-Identifier: BSD-3-Clause
// What plans and levels of programs take, for the planner's choices.
#pragma once

#include "planner/plan_work.hpp"
#include "planner/program/term_strategies.hpp"

namespace foretile {

/// How long a plan takes, by a coarse simulation with the fluid engine. Noise, where the platform has any, is
/// drawn with seed 1.
WorkSeconds rehearsed_seconds();
/// The same of a level of a program, with its moves.
LevelSeconds rehearsed_level_seconds();

}  // namespace foretile
