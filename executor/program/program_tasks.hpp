// SPDX-License-Identifier: BSD-3-Clause
// The tasks of a program's plan, on the blocks of one rank.
#pragma once

#include <unordered_map>

#include "executor/backends/plan_tasks.hpp"
#include "executor/program/program_blocks.hpp"
#include "planner/program/program_plan.hpp"

namespace foretile {

/// A block of a computed tensor comes with the first task that needs it, and those of an intermediate go
/// behind its last step, unless they are kept.
class ProgramTasks final : public PlanTasks {
 public:
  /// All must outlive this. `given`: of tensors on demand.
  ProgramTasks(const FusedProgram& program, const Plan& plan, ProgramBlocks& blocks, const GivenBlocks& given,
               bool keeps_intermediates);

  std::byte* tensor_tile(TileId tile) override;
  std::byte* tensor_place(const FlowTask& task, bool permutes) override;
  PermutedCopy permuted_store(const FlowTask& task) const override;
  std::optional<PermutedCopy> permuted_load(TileRef tile) const override;
  std::vector<std::function<void()>> jobs(const FlowTask& task, const std::byte* from, std::byte* tile,
                                          int parts) override;
  void step_over(Step step) override;

 private:
  std::int64_t elements_of(const ProgramBlock& block) const {
    return program_.blocks(block.tensor).elements(block.block);
  }

  /// Of the tensor's tile, in the order in which it is stored.
  std::vector<std::int64_t> extents_of(const FlowTask& task) const;

  const FusedProgram& program_;
  const Plan& plan_;
  ProgramBlocks& blocks_;
  const GivenBlocks& given_;
  bool keeps_;
  /// Of all ranks, which make tiles of A and B that are in place, in another order.
  std::unordered_map<TileRef, const FlowTask*, TileRefHash> permuted_loads_;
};

}  // namespace foretile
