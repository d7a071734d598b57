// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_tasks.hpp"

#include <algorithm>

#include "executor/program/permute_block.hpp"

namespace foretile {

/// A block to which nothing is added is 0: now, since other tasks may read it at once.
std::byte* ProgramTasks::tensor_tile(TileId tile) {
  const ProgramBlock block = block_of(plan_.tensors, tile);
  if (!blocks_.has(block)) {
    blocks_.make_uninitialized(block);
    std::fill_n(blocks_.numbers(block), elements_of(block), 0.0);
  }
  return reinterpret_cast<std::byte*>(blocks_.numbers(block));
}

std::function<void()> ProgramTasks::job(const FlowTask& task, const std::byte* from, std::byte* tile) {
  const ProgramBlock block = block_of(plan_.tensors, task.tensor_tile());
  auto* const numbers = reinterpret_cast<double*>(tile);
  const auto* const of_tensor = reinterpret_cast<const double*>(from);
  if (task.adds()) return addition(task, block, numbers);
  if (from == tile) return [] {};
  const PermutedBlock made{block, task.order, task.factor};
  if (!from) return [this, made, numbers] { given_.fill(made, numbers); };
  if (task.copies())
    return [of_tensor, elements = elements_of(block), numbers] { std::copy_n(of_tensor, elements, numbers); };
  return [this, made, of_tensor, numbers] { permute(program_, made, of_tensor, numbers); };
}

void ProgramTasks::step_over(Step step) {
  for (std::size_t tensor = 0; tensor < plan_.tensors.list.size(); ++tensor) {
    const bool over = int{plan_.tensors.list[tensor].end} == int{step} + 1;
    const bool intermediate = program_.tensors()[tensor].role == TensorRole::intermediate;
    if (over && intermediate && !keeps_) blocks_.drop(tensor);
  }
}

std::function<void()> ProgramTasks::addition(const FlowTask& task, const ProgramBlock& to,
                                             const double* numbers) {
  const bool there = blocks_.has(to);
  if (!there) blocks_.make_uninitialized(to);
  return [this, &task, to, numbers, beta = there ? 1.0 : 0.0, block = blocks_.numbers(to)] {
    add_permuted(program_.extents(to.tensor, to.block), task.order, beta, task.factor, numbers, block);
  };
}

}  // namespace foretile
