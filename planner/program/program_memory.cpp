#include "planner/program/program_memory.hpp"

#include <algorithm>

namespace foretile {

namespace {

int levels_of(const std::vector<TermOrder>& order) {
  int levels = 0;
  for (const TermOrder& term : order) levels = std::max(levels, term.level);
  return levels;
}

std::vector<TensorLife> lives_of(const Program& program, const std::vector<TermOrder>& order,
                                 const std::vector<LabelledTiles>& tiles) {
  const std::vector<ProgramTensor> tensors = tensors_of(program);
  std::vector<TensorLife> lives;
  for (const ProgramTensor& tensor : tensors) lives.push_back({tensor, size_of(tensor, tiles)});
  for (std::size_t t = 0; t < program.terms.size(); ++t) {
    const int level = order[t].level;
    TensorLife& result = lives[number_of(program.terms[t].result, tensors)];
    result.made = result.made == 0 ? level : std::min(result.made, level);
    result.dies = std::max(result.dies, level);
    for (const TensorUse& use : program.terms[t].operands) {
      TensorLife& operand = lives[number_of(use, tensors)];
      operand.dies = std::max(operand.dies, level);
    }
  }
  for (TensorLife& life : lives) {
    if (life.tensor.role != TensorRole::intermediate) life.dies = levels_of(order);
  }
  return lives;
}

}  // namespace

ProgramMemory memory_of(const Program& program, const std::vector<TermOrder>& order,
                        const std::vector<LabelledTiles>& tiles) {
  ProgramMemory memory;
  memory.tensors = lives_of(program, order, tiles);
  const std::vector<ProgramTensor> tensors = tensors_of(program);
  for (int level = 1; level <= levels_of(order); ++level) {
    double elements = 0;
    for (const TensorLife& life : memory.tensors) {
      if (life.made <= level && level <= life.dies) elements += life.size.elements;
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
