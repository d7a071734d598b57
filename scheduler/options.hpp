// SPDX-License-Identifier: BSD-3-Clause
// How the scheduler is to treat the machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/generated_part.hpp"
#include "platforms/machine.hpp"
#include "scheduler/copy_estimate.hpp"

namespace foretile {

/// What the scheduler must know of one device of a rank.
struct DeviceTraits {
  int cores = 0;                 ///< core slots of the rank, at most all, while it multiplies; of a GPU 0
  bool in_host_memory = false;   ///< it works on tiles where they are in host memory: nothing is copied
  bool generates_tiles = false;  ///< generated tiles of B are generated there, not on the rank's cores
  int batch = 1;                 ///< products of a chunk in one kernel operation, at most
  int socket = 0;                ///< of its node: a near copy of a tile is preferred
};

struct SchedulerOptions {
  std::vector<DeviceTraits> devices;  ///< of the rank, by number; one that is not listed has default traits
  int core_slots = 1;                 ///< cores of the rank: tiles generated, and core kernels, at once
  bool whole_batches =
      false;              ///< never fewer but at the end of a chunk, so that results do not depend on time
  int tiles_at_once = 1;  ///< tiles of B that a core makes in one operation, at most
  /// Larger tiles of B are generated in parts of at least so many bytes, by as many cores as the rank has.
  /// From a file a tile is read in one piece.
  std::int64_t least_part_bytes = kLeastPartBytes;
  int most_parts = std::numeric_limits<int>::max();  ///< of a tile of B: cores that share it
  /// Neighbouring loads, or stores, are joined to copies up to this size where it is more than
  /// PlanFrame::copy_batch_bytes.
  std::int64_t copy_batch_bytes = 0;
  int copy_slots = 2;  ///< copies in flight per device and direction; a copy engine does one at a time
  int send_slots = 4;  ///< messages in flight per rank
  CopyCosts copies;    ///< to compare sources of a tile
  /// Broadcasts come to memory of devices (PlanFrame::messages_on_devices()).
  bool messages_on_devices = false;
  int ranks_per_node = 1;  ///< to count bytes between nodes
  /// Loads, hits and evictions depend on the plan alone, not on what ends first: all loads come from the
  /// host, the memory of a chunk is free only when everything was asked for that may be loaded beside it, and
  /// a block opens when C of the last one is written back. For comparing back ends; slower.
  bool in_plan_order = false;

  std::int64_t most_copy_bytes(const PlanFrame& plan) const {
    return std::max(plan.copy_batch_bytes, copy_batch_bytes);
  }
  int node_of(Rank rank) const { return rank / ranks_per_node; }
  DeviceTraits traits(std::size_t device) const {
    return device < devices.size() ? devices[device] : DeviceTraits{};
  }
};

/// Products that so many cores get at once: four million flop of each (0.1 ms on a slow core) or less, at
/// least one and at most 256. Handing them out takes less time than the products themselves, and a core has
/// work for a while when the progress loop is late.
int products_at_once(const Contraction& contraction, int cores = 1);

/// Tiles of B that a core makes at once: half a megabyte together (0.1 ms on a slow core) or less, at least
/// one and at most 256.
int tiles_at_once(const Contraction& contraction);

/// The same for simulator and executor, so that both decide alike. With `in_plan_order` a core gets its
/// products one by one: how many are ready at once depends on time.
SchedulerOptions scheduler_options(const PlanFrame& frame, const RankPlan& plan,
                                   const Contraction& contraction, const Machine& machine, Rank rank,
                                   bool in_plan_order = false);

}  // namespace foretile
