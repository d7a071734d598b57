// How the scheduler is to treat the machine.
#pragma once

#include "platforms/machine.hpp"
#include "scheduler/rank_scheduler.hpp"

namespace foretile {

/// The same for simulator and executor, so that both decide alike.
SchedulerOptions scheduler_options(const Machine& machine, int rank);

}  // namespace foretile
