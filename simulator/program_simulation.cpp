// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/program_simulation.hpp"

namespace foretile {

std::vector<LevelTimes> simulate_program(std::span<const LevelPlan> plans, const Machine& machine,
                                         const SimulationOptions& options) {
  std::vector<LevelTimes> times;
  for (const LevelPlan& plan : plans) {
    LevelTimes& level = times.emplace_back();
    static_cast<LevelMoveTimes&>(level) = move_times(plan, machine);
    if (!plan.work) continue;
    level.products = simulate(plan.work->plan, plan.work->contraction, plan.work->machine, options);
    level.products_s = level.products.makespan_s;
  }
  return times;
}

}  // namespace foretile
