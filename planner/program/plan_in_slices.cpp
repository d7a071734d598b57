// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/plan_in_slices.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/missing_memory.hpp"

namespace foretile {

namespace {

constexpr int kMostTried = 64;

bool can_be_cut(const Program& program) {
  return std::ranges::any_of(program.tensors, &TensorDeclaration::on_demand);
}

}  // namespace

SlicedPlan plan_in_slices(ProgramSizes sizes, const MakeProgram& make,
                          const std::function<ProgramPlan(const FusedProgram&)>& plan) {
  const bool chooses = sizes.slices == 0;
  if (chooses) sizes.slices = 1;
  const std::shared_ptr<const FusedProgram> first = make(sizes);
  try {
    return {sizes, first, plan(*first)};
  } catch (const DoesNotFit&) {
    if (!chooses || !can_be_cut(first->program())) throw;
    while ((sizes.slices *= 2) <= kMostTried) {
      std::shared_ptr<const FusedProgram> sliced;
      try {
        sliced = make(sizes);
      } catch (const InputError&) {  // an intermediate has fewer parts
        break;
      }
      try {
        return {sizes, sliced, plan(*sliced)};
      } catch (const DoesNotFit&) {  // more slices
      }
    }
    throw;
  }
}

}  // namespace foretile
