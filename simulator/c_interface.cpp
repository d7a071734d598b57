// SPDX-License-Identifier: BSD-3-Clause
#include "base/c_status.hpp"
#include "planner/c_work.hpp"
#include "simulator/foretile_simulate.h"
#include "simulator/simulation.hpp"

foretile_status foretile_simulate(const foretile_work* work, double* seconds) {
  return foretile::guarded([&] {
    foretile::require_given("foretile_simulate", work, seconds);
    const foretile::PlannedWork& planned = foretile::of_c_work(work);
    // SimGrid would run once per process, take SIGABRT, and end the process where it fails.
    foretile::SimulationOptions options;
    options.engine = foretile::EngineChoice::fluid;
    *seconds = foretile::simulate(planned.plan, planned.contraction, planned.machine, options).makespan_s;
  });
}
