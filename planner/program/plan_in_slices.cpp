// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/plan_in_slices.hpp"

#include <algorithm>
#include <utility>

#include "base/missing_memory.hpp"

namespace foretile {

namespace {

constexpr int kMostTried = 64;

bool can_be_cut(const Program& program) {
  return std::ranges::any_of(program.tensors, &TensorDeclaration::on_demand);
}

SlicedPlan with_slices(ProgramSizes sizes, int slices, const MakeProgram& make,
                       const std::function<ProgramPlan(const FusedProgram&)>& plan) {
  sizes.slices = slices;
  std::shared_ptr<const FusedProgram> program = make(sizes);
  ProgramPlan planned = plan(*program);
  return {sizes, std::move(program), std::move(planned)};
}

}  // namespace

SlicedPlan plan_in_slices(ProgramSizes sizes, const MakeProgram& make,
                          const std::function<ProgramPlan(const FusedProgram&)>& plan) {
  if (sizes.slices > 0) return with_slices(sizes, sizes.slices, make, plan);
  try {
    return with_slices(sizes, 1, make, plan);
  } catch (const DoesNotFit&) {
    sizes.slices = 1;
    if (!can_be_cut(make(sizes)->program())) throw;
    for (int slices = 2; slices <= kMostTried; slices *= 2) {
      try {
        return with_slices(sizes, slices, make, plan);
      } catch (const DoesNotFit&) {  // more slices
      }
    }
    throw;
  }
}

}  // namespace foretile
