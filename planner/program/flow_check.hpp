// SPDX-License-Identifier: BSD-3-Clause
// What of a program's flow the plan alone does not show.
#pragma once

#include "planner/program/flow_plan.hpp"

namespace foretile {

/// Each block of each tensor gets, on the rank that has it, exactly the additions of the program, one after
/// the other; it is permuted or copied behind the last one only. Throws InputError as verify() does.
void check_flow(const FusedProgram& program, const ProgramDistribution& distribution, const FlowPlan& flow);

}  // namespace foretile
