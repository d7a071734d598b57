// How the scheduler is to treat the machine.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"
#include "scheduler/copy_estimate.hpp"

namespace foretile {

struct SchedulerOptions {
  int core_slots = 1;             ///< cores of the rank: tiles generated, and core kernels, at once
  bool kernels_on_cores = false;  ///< devices are cores: kernels take core slots too, before generation
  bool zero_copy = false;         ///< devices work on tiles in host memory
  int batch = 1;                  ///< products of a chunk in one operation, at most
  bool whole_batches =
      false;              ///< never fewer but at the end of a chunk, so that results do not depend on time
  int tiles_at_once = 1;  ///< tiles of B that a core makes in one operation, at most
  bool make_on_device = false;  ///< generated tiles of B are made where they are used, not on cores
  int copy_slots = 2;        ///< copies in flight per device and direction; a copy engine does one at a time
  int send_slots = 4;        ///< messages in flight per rank
  CopyCosts copies;          ///< to compare sources of a tile
  std::vector<int> sockets;  ///< of each device: a near copy of a tile is preferred
  /// Loads, hits and evictions depend on the plan alone, not on what ends first: all loads come from the
  /// host, the memory of a chunk is free only when everything was asked for that may be loaded beside it, and
  /// a block opens when C of the last one is home. For comparing back ends; slower.
  bool in_plan_order = false;
};

/// Products that a core gets at once: four million flop together (0.1 ms on a slow core) or less, at least
/// one and at most 16, so that handing them out takes less time than the products themselves.
int products_at_once(const Contraction& contraction);

/// Tiles of B that a core makes at once: half a megabyte together (0.1 ms on a slow core) or less, at least
/// one and at most 16.
int tiles_at_once(const Contraction& contraction);

/// The same for simulator and executor, so that both decide alike. With `in_plan_order` a core gets its
/// products one by one: how many are ready at once depends on time.
SchedulerOptions scheduler_options(const PlanFrame& plan, const Contraction& contraction,
                                   const Machine& machine, int rank, bool in_plan_order = false);

}  // namespace foretile
