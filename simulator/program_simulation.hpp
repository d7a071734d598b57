// SPDX-License-Identifier: BSD-3-Clause
// Rehearses the levels of a program one after the other.
#pragma once

#include <span>
#include <vector>

#include "planner/program/level_seconds.hpp"
#include "planner/program/program_plan.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

/// Seconds of the parts of a level, which follow each other on all ranks.
struct LevelTimes : LevelMoveTimes {
  double products_s = 0;  ///< the rehearsed plan
  SimulationResult products;

  double total_s() const { return moves_s() + products_s; }
};

/// Moves as move_times() has them. Products, copies and messages of the plans are simulated as simulate()
/// does. Throws as that.
std::vector<LevelTimes> simulate_program(std::span<const LevelPlan> plans, const Machine& machine,
                                         const SimulationOptions& options = {});

}  // namespace foretile
