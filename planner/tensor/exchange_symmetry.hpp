// SPDX-License-Identifier: BSD-3-Clause
// Which indices of an intermediate may be exchanged, as its terms show.
#pragma once

#include <vector>

#include "planner/tensor/program_tensors.hpp"

namespace foretile {

/// Sets TensorRules::mirror of intermediates, where the program has no halves: an exchange of positions under
/// which every term that writes the tensor stays the same. A product stays the same where its operands do,
/// by their own mirrors, or where both are one tensor and change places; summed indices may be renamed.
/// Example: X[a1,a2,a3,a4] += D[a1,a3,x] D[a2,a4,x] has X[a2,a1,a4,a3] = X[a1,a2,a3,a4].
/// `tensors`: all that the program uses, with the mirrors that are declared.
void derive_mirrors(const Program& program, std::vector<ProgramTensor>& tensors);

}  // namespace foretile
