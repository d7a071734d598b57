// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_tasks.hpp"

#include <algorithm>

#include "executor/program/permute_block.hpp"

namespace foretile {

namespace {

/// to = beta to + factor from (add_permuted()).
struct Combination {
  std::vector<std::int64_t> extents;
  AxisOrder order;
  double beta = 0, factor = 1;
  const double* from = nullptr;
  double* to = nullptr;

  std::function<void()> job() const {
    return [of = *this] { add_permuted(of.extents, of.order, of.beta, of.factor, of.from, of.to); };
  }
  /// Of the slowest axis, which is that of `from`, too.
  Combination part(std::int64_t begin, std::int64_t end) const {
    Combination some = *this;
    some.extents.back() = end - begin;
    std::int64_t before = begin;
    for (std::size_t axis = 0; axis + 1 < extents.size(); ++axis) before *= extents[axis];
    some.from += before;
    some.to += before;
    return some;
  }
};

std::vector<std::function<void()>> combinations(const Combination& whole, int parts) {
  if (parts == 1) return {whole.job()};
  std::vector<std::function<void()>> jobs;
  const std::int64_t slowest = whole.extents.back();
  for (int part = 0; part < parts; ++part) {
    const std::int64_t begin = slowest * part / parts, end = slowest * (part + 1) / parts;
    if (begin < end) jobs.push_back(whole.part(begin, end).job());
  }
  return jobs;
}

}  // namespace

/// A block to which nothing is added is 0: now, since other tasks may read it at once.
std::byte* ProgramTasks::tensor_tile(TileId tile) {
  const ProgramBlock block = block_of(plan_.tensors, tile);
  if (!blocks_.has(block)) {
    blocks_.make_uninitialized(block);
    std::fill_n(blocks_.numbers(block), elements_of(block), 0.0);
  }
  return reinterpret_cast<std::byte*>(blocks_.numbers(block));
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
    return combinations({extents, task.order, beta, task.factor, numbers, blocks_.numbers(block)}, parts);
  }
  if (from == tile) return {[] {}};
  if (!from)
    return {[this, made = PermutedBlock{block, task.order, task.factor}, numbers] {
      given_.fill(made, numbers);
    }};
  if (task.copies()) {  // the order may be that of no axes
    constexpr AxisOrder kOfOne{{0}, 1};
    return combinations({{elements_of(block)}, kOfOne, 0, 1, of_tensor, numbers}, parts);
  }
  return combinations({permuted(extents, task.order), task.order, 0, task.factor, of_tensor, numbers}, parts);
}

void ProgramTasks::step_over(Step step) {
  for (std::size_t tensor = 0; tensor < plan_.tensors.list.size(); ++tensor) {
    const bool over = int{plan_.tensors.list[tensor].end} == int{step} + 1;
    const bool intermediate = program_.tensors()[tensor].role == TensorRole::intermediate;
    if (over && intermediate && !keeps_) blocks_.drop(tensor);
  }
}

}  // namespace foretile
