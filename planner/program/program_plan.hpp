// SPDX-License-Identifier: BSD-3-Clause
// The plan of a whole program: one plan in which tiles go from step to step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/distribution/program_distribution.hpp"
#include "planner/plan_work.hpp"
#include "planner/program/join_steps.hpp"
#include "planner/program/step_plan.hpp"
#include "planner/tensor/fused_program.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// One step, for reports.
struct PlannedStep {
  int number = 0;           ///< StepPlan's
  int part = 1, parts = 1;  ///< StepPlan's
  std::vector<TermPart> terms;
  std::string strategy;  ///< empty without products
  std::int64_t gemms = 0;
  double flops = 0;
  std::int64_t sent_bytes = 0;       ///< all messages
  std::int64_t peak_host_bytes = 0;  ///< of the rank with most, while it and steps that are open with it run
};

/// Proven; plain data.
struct ProgramPlan {
  ProgramMode mode = ProgramMode::levels;
  Settings settings = {};  ///< of all terms; nothing is compared for them
  ProgramDistribution distribution = {};
  PlannedWork work;
  std::vector<PlannedStep> steps = {};
  std::vector<TilesOfTerm> tiles_of_terms = {};  ///< JoinedSteps

  double flops() const;
  std::int64_t sent_bytes() const;  ///< all messages
};

/// Of which a tile of the plan's tensors is.
inline ProgramBlock block_of(const PlanTensors& tensors, TileId tile) {
  const std::size_t tensor = tensors.tensor_of(tile);
  return {tensor, tile - tensors.list[tensor].first};
}

/// Nothing is chosen. Plans the steps (plan_steps()), joins them (join_steps()), and opens each step: with
/// ProgramMode::levels when all before it are over on all ranks, where tiles flow as early as memory allows.
/// Proves the plan, and that each block gets each addition once and is read only behind the last. Throws as
/// plan_steps() and join_steps(), InputError for a flow without products of tiles, and DoesNotFit where the
/// memory of a rank is too small.
ProgramPlan plan_program(const FusedProgram& program, const ProgramDistribution& distribution,
                         const Machine& machine, const Settings& settings, ProgramMode mode);

/// Some steps of a program, for what they take: proven, but for what only a whole program can have.
PlannedWork work_of_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                          const Machine& machine, const std::vector<StepPlan>& steps, ProgramMode mode);

/// 64-bit FNV-1a of all that the plan does and of the distribution, as 16 hexadecimal digits.
std::string program_digest(const ProgramPlan& plan, const FusedProgram& program);

}  // namespace foretile
