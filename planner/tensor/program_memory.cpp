// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/program_memory.hpp"

#include <algorithm>

namespace foretile {

ProgramMemory memory_of(const Program& program, const std::vector<TermOrder>& order,
                        const std::vector<LabelledTiles>& tiles) {
  ProgramMemory memory;
  const std::vector<ProgramTensor> tensors = tensors_of(program);
  const std::vector<TensorLevels> levels = levels_of(program, tensors, order);
  for (std::size_t t = 0; t < tensors.size(); ++t)
    memory.tensors.push_back({tensors[t], size_of(tensors[t], tiles), levels[t]});
  const int last = std::ranges::max(order, {}, &TermOrder::level).level;
  for (int level = 1; level <= last; ++level) {
    double elements = 0;
    for (const TensorLife& life : memory.tensors) {
      if (life.levels.include(level)) elements += life.size.elements;
    }
    memory.elements.push_back(elements);
    if (elements > memory.peak_elements()) memory.fullest = level;
  }
  for (const ProgramTerm& term : program.terms) {
    double product = memory.tensors[number_of(term.result, tensors)].size.largest_block;
    for (const TensorUse& use : term.operands)
      product += memory.tensors[number_of(use, tensors)].size.largest_block;
    memory.largest_product = std::max(memory.largest_product, product);
  }
  return memory;
}

}  // namespace foretile
