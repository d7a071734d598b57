// SPDX-License-Identifier: BSD-3-Clause
// foretile tune of a program: how many nodes, which tiles, which mode.
#pragma once

#include "apps/foretile/tune_arguments.hpp"
#include "tuner/by_nodes.hpp"

namespace foretile {

/// Tries, prints, and stores the plan that the goal asks for. `options` has budget, limits and history.
/// Throws InputError, WorkError where nothing fits, and CLI::RuntimeError after an interrupt.
void tune_program_case(const TuneArguments& arguments, TuneOptions options, Goal goal);

}  // namespace foretile
