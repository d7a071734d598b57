// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/rehearsal.hpp"

#include <limits>

#include "apps/foretile/coarse.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

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

}  // namespace foretile
