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

std::byte* ProgramTasks::tensor_place(const FlowTask& task, bool permutes) {
  const ProgramBlock block = block_of(plan_.tensors, task.writes.id);
  if (!blocks_.has(block)) blocks_.make_uninitialized(block);
  if (!permutes || blocks_.is_pinned(block)) return reinterpret_cast<std::byte*>(blocks_.numbers(block));
  blocks_.drop(block);
  return nullptr;
}

std::vector<std::int64_t> ProgramTasks::tensor_extents(TileId tile) const {
  const ProgramBlock block = block_of(plan_.tensors, tile);
  return program_.extents(block.tensor, block.block);
}

std::vector<std::function<void()>> ProgramTasks::jobs(const FlowTask& task, const std::byte* from,
                                                      std::byte* tile, int parts) {
  const ProgramBlock block = block_of(plan_.tensors, task.tensor_tile());
  auto* const numbers = reinterpret_cast<double*>(tile);
  const auto* const of_tensor = reinterpret_cast<const double*>(from);
  const std::vector<std::int64_t> extents = program_.extents(block.tensor, block.block);
  if (task.adds()) {
    const double beta = blocks_.has(block) ? 1 : 0;
    if (beta == 0) blocks_.make_uninitialized(block);
    return jobs_of({extents, task.order, beta, task.factor, numbers, blocks_.numbers(block)}, parts);
  }
  if (from == tile) return {[] {}};
  if (!from)
    return {[this, made = PermutedBlock{block, task.order, task.factor}, numbers] {
      given_.fill(made, numbers);
    }};
  if (task.copies()) {  // the order may be that of no axes
    constexpr AxisOrder kOfOne{{0}, 1};
    return jobs_of({{elements_of(block)}, kOfOne, 0, 1, of_tensor, numbers}, parts);
  }
  return jobs_of({permuted(extents, task.order), task.order, 0, task.factor, of_tensor, numbers}, parts);
}

void ProgramTasks::step_over(Step step) {
  for (std::size_t tensor = 0; tensor < plan_.tensors.list.size(); ++tensor) {
    const bool over = int{plan_.tensors.list[tensor].end} == int{step} + 1;
    const bool intermediate = program_.tensors()[tensor].role == TensorRole::intermediate;
    if (over && intermediate && !keeps_) blocks_.drop(tensor);
  }
}

}  // namespace foretile
