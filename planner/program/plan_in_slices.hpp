// SPDX-License-Identifier: BSD-3-Clause
// Plans of programs whose on-demand intermediates do not fit whole.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "planner/program/program_plan.hpp"
#include "planner/tensor/fused_program.hpp"

namespace foretile {

/// Of a program with these sizes, their slices chosen.
struct SlicedPlan {
  ProgramSizes sizes;
  std::shared_ptr<const FusedProgram> program;
  ProgramPlan plan;
};

/// Makes or finds a program with these sizes.
using MakeProgram = std::function<std::shared_ptr<const FusedProgram>(const ProgramSizes& sizes)>;

/// Plans the program with as many slices of its on-demand intermediates (in_slices()) as `sizes` say; where
/// they say 0, with 1, 2, 4, ..., 64, until it fits. `plan` throws DoesNotFit where it does not. If it never
/// fits, throws what it threw for one slice.
SlicedPlan plan_in_slices(ProgramSizes sizes, const MakeProgram& make,
                          const std::function<ProgramPlan(const FusedProgram&)>& plan);

}  // namespace foretile
