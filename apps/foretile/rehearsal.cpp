// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/rehearsal.hpp"

#include <limits>

#include "apps/foretile/coarse.hpp"

namespace foretile {

void require_simulator(const char*) {}

WorkSeconds rehearsed_seconds() {
  return [](const Plan& plan, const PlanSummary& summary, const Contraction& contraction,
            const Machine& machine, double stop_s) {
    SimulationOptions options;
    options.engine = EngineChoice::fluid;
    options.groups = choosing_groups(plan, summary, contraction, machine);
    options.stop_s = stop_s;
    const SimulationResult result = simulate(plan, contraction, machine, options);
    return result.stopped ? std::numeric_limits<double>::infinity() : result.makespan_s;
  };
}

LevelSeconds rehearsed_level_seconds() {
  return [](const LevelPlan& plan, const Machine& machine) {
    SimulationOptions options;
    options.engine = EngineChoice::fluid;
    return simulate_program({&plan, 1}, machine, options).front().total_s();
  };
}

SimulationResult rehearse(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          const SimulationOptions& options) {
  return simulate(plan, contraction, machine, options);
}

std::vector<LevelTimes> rehearse_program(std::span<const LevelPlan> plans, const Machine& machine,
                                         const SimulationOptions& options) {
  return simulate_program(plans, machine, options);
}

OriginalResult rehearse_original(const FusedProgram& program, const Machine& machine,
                                 const OriginalOptions& options) {
  return simulate_original(program, machine, options);
}

}  // namespace foretile
