// SPDX-License-Identifier: BSD-3-Clause
// A program computed plainly: all spin orbitals of all tensors, in long double, index by index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/program/program_numbers.hpp"
#include "planner/tensor/program.hpp"

namespace foretile {

/// Rounding may change a sum by this part of the sum of its terms' absolute values.
inline constexpr double kLargestError = 1e-12;

/// All elements, the first index fastest.
struct PlainTensor {
  std::vector<std::int64_t> extents;
  std::vector<long double> values;
  /// kLargestError times this bounds the error of an element: the sum of the absolute values of all that was
  /// added to it, and what the errors of operands make of it. So it is large where the terms cancel, here or
  /// in an operand. Errors of a product, Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
  /// section 3.5: |AB - fl(AB)| <= gamma |A| |B|; those of operands are added. 0: the tensor is given.
  std::vector<double> magnitudes;
};

/// Largest error of a tensor over its largest magnitude; NaN where an element is.
double largest_error(const std::vector<double>& found, const PlainTensor& expected);

/// Elements of all tensors.
double plain_elements(const std::vector<ProgramTensor>& tensors, const SpinOrbitals& orbitals);

/// Multiplications of plain_program(), and elements of all tensors.
double plain_work(const Program& program, const std::vector<ProgramTensor>& tensors,
                  const SpinOrbitals& orbitals);

/// Of tensors_of(program), all of them. Shares neither tiles nor symmetries with the programs that it checks.
std::vector<PlainTensor> plain_program(const Program& program, const SpinOrbitals& orbitals,
                                       const ProgramNumbers& numbers);

}  // namespace foretile
