// SPDX-License-Identifier: BSD-3-Clause
// What of a program's plan the plan alone does not show.
#pragma once

#include "planner/program/program_plan.hpp"

namespace foretile {

/// Of a plan that verify() accepts: its tensors are those of the program; each block gets exactly the
/// additions of the program; tiles of A, B and C are made as its terms say, and have each product once.
/// Throws InputError as verify() does.
void check_program(const FusedProgram& program, const ProgramPlan& plan);

}  // namespace foretile
