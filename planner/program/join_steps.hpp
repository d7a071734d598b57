// SPDX-License-Identifier: BSD-3-Clause
// Plans of the steps of a program as one plan, in which tiles go from step to step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/distribution/program_distribution.hpp"
#include "planner/plan/plan.hpp"
#include "planner/program/step_plan.hpp"
#include "planner/tensor/fused_program.hpp"

namespace foretile {

/// Neighbouring tiles that are of one term; of a term with one operand copied blocks are tiles of C.
struct TilesOfTerm {
  std::size_t term = 0;
  TileId a = 0, b = 0, c = 0;                                    ///< the first
  std::vector<TileId> a_tiles = {}, b_tiles = {}, c_tiles = {};  ///< their numbers in the term
};

/// In which of the steps a tensor is in memory: behind `end` no more.
struct TensorSteps {
  Step from = 0, end = 0;
};

/// By tensor, of all steps of a program or of some: given ones from the begin, results to the end,
/// intermediates from the first step that writes them (0 where none does before one reads them) to the last
/// that has to do with them.
std::vector<TensorSteps> steps_of_tensors(const FusedProgram& program, std::span<const StepPlan> steps);

/// Not proven. Its tensors are those of the program, their tiles the blocks. PlanFrame::open_from is empty.
struct JoinedSteps {
  Contraction contraction;
  Plan plan;
  std::vector<TilesOfTerm> tiles_of_terms;  ///< increasing
  std::vector<std::int64_t> result_bytes;   ///< by step: messages of tiles of C and of tensors
};

/// One block-diagonal contraction of all products, step after step. What terms with one operand copy are
/// tiles of C, too, to which no product contributes. Blocks of which a rank needs tiles of A and B go there,
/// once for a step, and are permuted there; the ranks that have a block add tiles of C to it in the order of
/// steps, terms, pieces of their sums, tiles and permutations, so bits repeat. Throws InputError for plans
/// with a pool, a B that stays, barriers, or different devices (lookahead is the least of all steps, and what
/// is not of a step, such as how many messages a rank sends at once, that of the step with most devices);
/// DoesNotFit where all steps together have too many tiles.
JoinedSteps join_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                       const Machine& machine, std::span<const StepPlan> steps,
                       const std::vector<TensorSteps>& tensors);

}  // namespace foretile
