// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_tasks.hpp"

#include <algorithm>
#include <utility>

#include "executor/program/permute_block.hpp"

namespace foretile {

namespace {

PermutedCopy copy_in_order(const FlowTask& task, std::vector<std::int64_t> extents) {
  const auto& from = task.order.from;
  return {std::move(extents), {from.begin(), from.begin() + task.order.axes}, task.factor};
}

}  // namespace

ProgramTasks::ProgramTasks(const FusedProgram& program, const Plan& plan, ProgramBlocks& blocks,
                           const GivenBlocks& given, bool keeps_intermediates)
    : program_(program), plan_(plan), blocks_(blocks), given_(given), keeps_(keeps_intermediates) {
  for (const RankPlan& rank : plan.ranks) {
    for (const FlowTask& task : rank.flow.tasks) {
      if (task.makes_operand() && !task.copies() && is_in_place(plan, task))
        permuted_loads_.emplace(task.writes, &task);
    }
  }
}

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

PermutedCopy ProgramTasks::permuted_store(const FlowTask& task) const {
  return copy_in_order(task, extents_of(task));
}

std::optional<PermutedCopy> ProgramTasks::permuted_load(TileRef tile) const {
  const auto found = permuted_loads_.find(tile);
  if (found == permuted_loads_.end()) return std::nullopt;
  const FlowTask& task = *found->second;
  return copy_in_order(task, permuted(extents_of(task), task.order));
}

std::vector<std::int64_t> ProgramTasks::extents_of(const FlowTask& task) const {
  const ProgramBlock block = block_of(plan_.tensors, task.tensor_tile());
  return program_.extents(block.tensor, block.block);
}

std::vector<std::function<void()>> ProgramTasks::jobs(const FlowTask& task, const std::byte* from,
                                                      std::byte* tile, int parts) {
  const ProgramBlock block = block_of(plan_.tensors, task.tensor_tile());
  auto* const numbers = reinterpret_cast<double*>(tile);
  const auto* const of_tensor = reinterpret_cast<const double*>(from);
  const std::vector<std::int64_t> extents = extents_of(task);
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
