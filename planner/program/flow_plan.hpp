// SPDX-License-Identifier: BSD-3-Clause
// A plan of a whole program in which tiles flow from term to term, without waiting for the end of a level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/settings.hpp"
#include "planner/program/program_plan.hpp"

namespace foretile {

/// Neighbouring tiles that are of one term; of a term with one operand copied blocks are tiles of C.
struct TilesOfTerm {
  std::size_t term = 0;
  TileId a = 0, b = 0, c = 0;                                    ///< the first
  std::vector<TileId> a_tiles = {}, b_tiles = {}, c_tiles = {};  ///< their numbers in the term
};

/// One block-diagonal contraction of all products of a program, step after step. What terms with one operand
/// copy are tiles of C, too, to which no product contributes.
struct FlowPlan {
  /// With its proof. Its tensors are those of the program, their tiles the blocks.
  PlannedWork work;
  std::vector<TilesOfTerm> tiles_of_terms;  ///< increasing
  double flops = 0;
  std::int64_t sent_bytes = 0;  ///< all messages
};

/// Of which a tile of the plan's tensors is.
inline ProgramBlock block_of(const PlanTensors& tensors, TileId tile) {
  const std::size_t tensor = tensors.tensor_of(tile);
  return {tensor, tile - tensors.list[tensor].first};
}

/// Steps of a flow that can be under way: one, and the next one.
inline constexpr int kStepsAtOnce = 2;

/// Whether it has a product with tiles.
bool may_flow(const FusedProgram& program);

/// Joins the plans of all steps (plan_steps()). Blocks of which a rank needs tiles of A and B go there, once
/// for a step, and are permuted there; the ranks that have a block add tiles of C to it in the order of
/// steps, terms, pieces of their sums, tiles and permutations, so bits repeat. Proves the plan, and that each
/// block gets each addition once and is read only behind the last. Throws InputError as plan_steps(), and for
/// a strategy with a pool, a B that stays, or barriers that the settings ask for; DoesNotFit where the memory
/// of a rank is too small, or where all steps together have too many tiles.
FlowPlan plan_flow(const FusedProgram& program, const ProgramDistribution& distribution,
                   const Machine& machine, const Settings& settings);

enum class StepOpening : std::uint8_t {
  as_memory_allows,  ///< each as early as that
  one_by_one         ///< each when all before it are over on all ranks
};

/// The same from plans of the steps, or of their parts.
FlowPlan join_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                    const Machine& machine, const std::vector<LevelPlan>& plans,
                    StepOpening opening = StepOpening::as_memory_allows);

}  // namespace foretile
