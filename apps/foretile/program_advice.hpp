// SPDX-License-Identifier: BSD-3-Clause
// What to change where a program cannot be planned as it was asked for.
#pragma once

#include "apps/foretile/case.hpp"
#include "apps/foretile/program_case.hpp"
#include "apps/foretile/program_planning.hpp"
#include "base/error.hpp"
#include "planner/program/plan_in_slices.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// What to say where a program is to be planned and `of` has no size of tiles: the first of proposed_tiles()
/// with which it was planned and proven to fit, or why it does not. One that was not tried where planning
/// takes long.
InputError missing_tile(const CaseArguments& arguments, const ProgramArguments& of, const Machine& machine);

/// ProgramPlanning::plan(). Where that does not fit and planning is short, the error names the tensors to
/// make with which it was planned and proven to fit, or what is missing with all of them made.
SlicedPlan plan_with_advice(const ProgramPlanning& planning, const CaseArguments& arguments,
                            const ProgramArguments& of, const Machine& machine);

}  // namespace foretile
