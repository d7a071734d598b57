// SPDX-License-Identifier: BSD-3-Clause
// The tensors of a program, and its terms as tensor equations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/tensor/labelled_tiles.hpp"
#include "planner/tensor/program.hpp"
#include "planner/tensor/tensor_blocks.hpp"
#include "planner/tensor/tensor_term.hpp"
#include "planner/tensor/term_order.hpp"

namespace foretile {

/// A tensor with one space at each position. Where positions may have several, each combination that the
/// program uses is stored apart: v[h,p|h,p] beside v[p,p|p,p].
struct ProgramTensor {
  std::string name;
  TensorRules rules;  ///< of spin orbitals: closed shell, antisymmetric in the indices of one half and one
                      ///< space; of spatial ones none, and the mirror (exchange_symmetry.hpp)
  TensorRole role = TensorRole::given;
};

/// All that the terms use, in the order of their first use, the result of a term before its operands.
std::vector<ProgramTensor> tensors_of(const Program& program);

/// The number of the one that a term uses.
std::size_t number_of(const TensorUse& use, const std::vector<ProgramTensor>& tensors);

/// "v[hp|hp]"
std::string text_of(const ProgramTensor& tensor, const Program& program);

/// The term with numbered indices, tensors antisymmetric as ProgramTensor says.
TensorTerm tensor_term(const ProgramTerm& term);

/// What is stored of a tensor (TensorBlocks), in closed form: of a slice, its share. Both may be beyond 64
/// bits.
struct TensorSize {
  double blocks = 0;
  double elements = 0;
  double largest_block = 0;  ///< elements
};

TensorSize size_of(const ProgramTensor& tensor, const std::vector<LabelledTiles>& tiles);

/// The levels at which a tensor is in memory.
struct TensorLevels {
  int made = 0;  ///< the first that writes it; 0: it is there before
  int last =
      0;  ///< the last that reads or writes it; of given tensors and results the last of all: they stay

  bool include(int level) const { return made <= level && level <= last; }
};

/// Of `tensors`, which are tensors_of(program). `order` by term.
std::vector<TensorLevels> levels_of(const Program& program, const std::vector<ProgramTensor>& tensors,
                                    const std::vector<TermOrder>& order);

}  // namespace foretile
