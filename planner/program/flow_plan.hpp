// SPDX-License-Identifier: BSD-3-Clause
// A plan of a whole program in which tiles flow from term to term, without waiting for the end of a level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/settings.hpp"
#include "planner/program/program_plan.hpp"

namespace foretile {

/// What a task of the plan does (planner/plan/flow.hpp), with the task's tile.
struct FlowStep {
  enum class Kind : std::uint8_t {
    permute,  ///< tile of A or B = factor block, axis p of the tile being axis order.from[p] of the block
    lend,     ///< the tile of A or B is the block
    copy,     ///< tile of C = block, of a term with one operand
    add       ///< block = block + factor tile of C, axis p of the block being axis order.from[p] of the tile
  };
  Kind kind = Kind::add;
  ProgramBlock block;
  AxisOrder order;
  double factor = 1;
};

/// Neighbouring tiles that are of one term; of a term with one operand copied blocks are tiles of C.
struct TilesOfTerm {
  std::size_t term = 0;
  TileId a = 0, b = 0, c = 0;                                    ///< the first
  std::vector<TileId> a_tiles = {}, b_tiles = {}, c_tiles = {};  ///< their numbers in the term
};

/// When a tensor is in memory: from the step that begins it to that which reads it last.
struct TensorSteps {
  std::size_t from = 0, end = 0;  ///< `end`: behind the last
};

/// One block-diagonal contraction of all products of a program, step after step. What terms with one operand
/// copy are tiles of C, too, to which no product contributes.
struct FlowPlan {
  PlannedWork work;                          ///< with its proof
  std::vector<TilesOfTerm> tiles_of_terms;   ///< increasing
  std::vector<TensorSteps> lives;            ///< by tensor
  std::vector<std::vector<FlowStep>> steps;  ///< by rank: of each task
  double flops = 0;
  std::int64_t sent_bytes = 0;       ///< all messages
  std::int64_t peak_host_bytes = 0;  ///< of a rank, at most: tensors, and all tiles that it makes or receives
};

/// Steps of a flow that can be under way: one, and the next one.
inline constexpr int kStepsAtOnce = 2;

/// Whether it has a product with tiles, and the machine's devices are cores.
bool may_flow(const FusedProgram& program, const Machine& machine);

/// Joins the plans of all steps (plan_steps()). The ranks that have a block permute it to tiles of A and B,
/// and add tiles of C to it in the order of steps, terms, pieces of their sums, tiles and permutations, so
/// bits repeat. Proves the plan, and that each block gets each addition once and is read only behind the
/// last. Throws InputError as plan_steps(), and where the strategy moves A or B before it multiplies;
/// DoesNotFit where the memory of a rank is too small, or where all steps together have too many tiles.
FlowPlan plan_flow(const FusedProgram& program, const ProgramDistribution& distribution,
                   const Machine& machine, const Settings& settings);

/// The same from plans of the steps, or of their parts.
FlowPlan join_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                    const Machine& machine, const std::vector<LevelPlan>& plans);

}  // namespace foretile
