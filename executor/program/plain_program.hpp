// SPDX-License-Identifier: BSD-3-Clause
// A program computed plainly: all spin orbitals of all tensors, in long double, index by index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/program/program_numbers.hpp"
#include "planner/program/program.hpp"

namespace foretile {

/// All elements, the first index fastest.
struct PlainTensor {
  std::vector<std::int64_t> extents;
  std::vector<long double> values;
  /// Of what was added before it was antisymmetrized: what rounding errors are measured by, also where all
  /// cancels.
  long double largest_sum = 0;
};

/// Elements of all tensors.
double plain_elements(const std::vector<ProgramTensor>& tensors, const SpinOrbitals& orbitals);

/// Multiplications of plain_program(), and elements of all tensors.
double plain_work(const Program& program, const std::vector<ProgramTensor>& tensors,
                  const SpinOrbitals& orbitals);

/// Of tensors_of(program), all of them. Shares neither tiles nor symmetries with the programs that it checks.
std::vector<PlainTensor> plain_program(const Program& program, const SpinOrbitals& orbitals,
                                       const ProgramNumbers& numbers);

}  // namespace foretile
