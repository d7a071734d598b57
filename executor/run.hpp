// Executes one rank's part of a plan together with the other ranks.
#pragma once

#include <mpi.h>

#include <memory>

#include "executor/host_store.hpp"
#include "planner/contraction.hpp"
#include "planner/plan.hpp"
#include "platforms/machine.hpp"
#include "scheduler/statistics.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

struct RunOptions {
  TraceSink* trace = nullptr;
  bool copies = false;         ///< device memory is apart from host memory: A and B are really copied
  bool in_plan_order = false;  ///< loads, hits and evictions depend on the plan alone (SchedulerOptions)
  /// Memory taken from the system before the clock starts, as a device's pool would be: a first touch costs
  /// as much as making the numbers. 0: none.
  std::int64_t pool_bytes = 0;
};

struct RunResult {
  double wall_s = 0;  ///< from the start on all ranks to the end of the last; the same on all ranks
  RankStatistics statistics;
  std::unique_ptr<HostStore> host;  ///< holds this rank's tiles of C
};

/// Collective over `communicator`, whose ranks from plan.grid.size() on have no work. A's tiles are made
/// before the clock starts. Throws WorkError when MPI or a worker fails.
RunResult run(const Plan& frame, const RankPlan& plan, const Contraction& contraction, const Machine& machine,
              MPI_Comm communicator, const RunOptions& options = {});

}  // namespace foretile
