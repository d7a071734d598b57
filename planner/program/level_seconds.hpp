// SPDX-License-Identifier: BSD-3-Clause
// How long does a level of a program take beside its products, and at least with them?
#pragma once

#include "planner/program/program_plan.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Seconds of what is done before and behind the products of a level, one after the other on all ranks.
struct LevelMoveTimes {
  double blocks_s = 0;     ///< blocks to the ranks that own tiles of A and B, and that copy them
  double made_s = 0;       ///< blocks that are made when they are needed, on all cores of a rank
  double permuted_s = 0;   ///< tiles of A and B, permuted or copied on all cores
  double results_s = 0;    ///< tiles of C to the owners of the result's blocks
  double additions_s = 0;  ///< of permuted tiles

  double moves_s() const { return blocks_s + made_s + permuted_s + results_s + additions_s; }
};

/// Messages go at the rate of the busiest rank or node, without latencies; those inside a node count as
/// others do; permutations and additions at those of the platform's additions (platforms/cost/addition.hpp),
/// made blocks at its rate of generation.
LevelMoveTimes move_times(const LevelPlan& plan, const Machine& machine);

/// The moves, and the bound of the plan of the products (plan_bound()).
double least_seconds(const LevelPlan& plan, const Machine& machine);

}  // namespace foretile
