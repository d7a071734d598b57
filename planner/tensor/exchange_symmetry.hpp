// SPDX-License-Identifier: BSD-3-Clause
// Which indices of a tensor may be exchanged, as the terms that write it show.
#pragma once

#include <string>
#include <vector>

#include "planner/tensor/program_tensors.hpp"

namespace foretile {

/// Sets TensorRules::mirror of intermediates, where the program has no halves: an exchange of positions under
/// which the terms that write the tensor stay the same together: operands may be written as their own mirrors
/// show and change places, and summed indices may be renamed. Example: X[a1,a2,a3,a4] += D[a1,a3,x]
/// D[a2,a4,x] has X[a2,a1,a4,a3] = X[a1,a2,a3,a4]. `tensors`: all that the program uses, with the mirrors
/// that are declared.
void derive_mirrors(const Program& program, std::vector<ProgramTensor>& tensors);

/// Throws InputError, with the line, for a term of a result that is declared symmetric, where its terms do
/// not stay the same together: only half of the result is computed. `tensors`: with the mirrors of
/// intermediates.
void require_symmetry(const Program& program, const std::vector<ProgramTensor>& tensors,
                      const std::string& source);

}  // namespace foretile
