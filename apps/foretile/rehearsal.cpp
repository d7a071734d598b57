#include "apps/foretile/rehearsal.hpp"

namespace foretile {

void require_simulator(const char*) {}

SimulationResult rehearse(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          const SimulationOptions& options) {
  return simulate(plan, contraction, machine, options);
}

}  // namespace foretile
