// SPDX-License-Identifier: BSD-3-Clause
// The tasks of a program's plan, on the blocks of one rank.
#pragma once

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
               bool keeps_intermediates)
      : program_(program), plan_(plan), blocks_(blocks), given_(given), keeps_(keeps_intermediates) {}

  std::byte* tensor_tile(TileId tile) override;
  std::byte* tensor_place(const FlowTask& task, bool permutes) override;
  std::vector<std::int64_t> tensor_extents(TileId tile) const override;
  std::vector<std::function<void()>> jobs(const FlowTask& task, const std::byte* from, std::byte* tile,
                                          int parts) override;
  void step_over(Step step) override;

 private:
  std::int64_t elements_of(const ProgramBlock& block) const {
    return program_.blocks(block.tensor).elements(block.block);
  }

  const FusedProgram& program_;
  const Plan& plan_;
  ProgramBlocks& blocks_;
  const GivenBlocks& given_;
  bool keeps_;
};

}  // namespace foretile
