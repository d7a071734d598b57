// Rehearses the levels of a program one after the other.
#pragma once

#include <vector>

#include "planner/program/program_plan.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

/// Seconds of the parts of a level, which follow each other on all ranks.
struct LevelTimes {
  double blocks_s = 0;     ///< blocks to the ranks that own tiles of A and B, and that copy them
  double made_s = 0;       ///< blocks that are made when they are needed, on all cores of a rank
  double permuted_s = 0;   ///< tiles of A and B, on all cores
  double products_s = 0;   ///< the rehearsed plan
  double results_s = 0;    ///< tiles of C to the owners of the result's blocks
  double additions_s = 0;  ///< of permuted tiles
  SimulationResult products;

  double total_s() const { return blocks_s + made_s + permuted_s + products_s + results_s + additions_s; }
};

/// Messages go at the rate of the busiest rank or node, without latencies; those inside a node count as
/// others do; permutations and additions at those of the platform's additions (platforms/addition_model.hpp),
/// made blocks at its rate of generation. Products, copies and messages of the plans are simulated as
/// simulate() does. Throws as that.
std::vector<LevelTimes> simulate_program(const std::vector<LevelPlan>& plans, const Machine& machine,
                                         const SimulationOptions& options = {});

}  // namespace foretile
