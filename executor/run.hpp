// SPDX-License-Identifier: BSD-3-Clause
// Executes one rank's part of a plan together with the other ranks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <memory_resource>

#include "executor/backends/host_store.hpp"
#include "executor/backends/plan_tasks.hpp"
#include "executor/gpu/gpu.hpp"
#include "executor/mpi/communicator.hpp"
#include "planner/plan/assignment.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"
#include "scheduler/statistics.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// Hears of each tile of C that this rank ends up with, once: from one thread, on which the run waits.
class FinishedTiles {
 public:
  virtual ~FinishedTiles() = default;
  /// `numbers` stay as they are until all_heard().
  virtual void finished(TileId tile, TileView numbers) = 0;
  /// After the last. The numbers may move from now on.
  virtual void all_heard() = 0;
};

struct RunOptions {
  TraceSink* trace = nullptr;
  /// Must outlive the run, and the tiles of C that stay in place there the result. nullptr: from the seed.
  const TileStorage* storage = nullptr;
  FinishedTiles* finished = nullptr;  ///< what it throws ends the run
  PlanTasks* tasks = nullptr;         ///< of a plan whose tiles flow; then no tile comes from `storage`
  /// The node's GPUs, for machines whose devices are GPUs; nullptr: cores stand for all devices.
  Gpus* gpus = nullptr;
  /// Of all tiles in host memory, on cores; must outlive the result, and is called by this thread alone.
  /// nullptr: the heap.
  std::pmr::memory_resource* memory = nullptr;
  bool copies = false;  ///< cores only: device memory is apart from host memory, A and B are really copied
  bool bind = true;     ///< on cores: each thread that works to a CPU, where cpus_of_rank() has one
  bool in_plan_order = false;  ///< loads, hits and evictions depend on the plan alone (SchedulerOptions)
  /// Memory taken from the system before the clock starts, because a first touch costs as much as making the
  /// numbers. Cores: that of the devices. GPUs: pinned host memory, for all that the rank holds there. 0:
  /// none.
  std::int64_t pool_bytes = 0;
  double warm_up_s =
      0;  ///< GPUs: how long products and copies are tried before the clock starts; 0: not at all
};

/// Of the rank's logical devices, the first among those of its node.
inline int first_device(const Machine& machine, const RankOnNode& place) {
  return place.number * machine.devices_per_rank;
}

/// RunOptions::pool_bytes for what the verifier proved: a little more for messages' headers, for holes and
/// for what the scheduler keeps, since a first touch during the run costs far more.
constexpr std::int64_t pool_bytes_for(std::int64_t proven_bytes) {
  return proven_bytes + proven_bytes / 64 + (std::int64_t{16} << 20);
}

/// What only runs on GPUs have to tell, of all ranks together.
struct GpuNotes {
  std::int64_t compactions = 0;  ///< see GpuBackend
  std::int64_t compacted_bytes = 0;
  std::int64_t unpinned_bytes =
      0;  ///< most host memory in use that is not page-locked: no room in the pool, or a caller's, refused
  std::int64_t host_message_bytes =
      0;  ///< most host memory in use for messages to devices, where those had no hole
};

struct RunResult {
  double wall_s = 0;  ///< from the start on all ranks to the end of the last; the same on all ranks
  double fill_s = 0;  ///< before: to make, read or copy this rank's tiles
  RankStatistics statistics;
  RankAssignment assignment;  ///< which blocks this rank's devices took
  double progress_s = 0;      ///< processor time of this rank's progress loop
  GpuNotes gpu;
  std::unique_ptr<std::pmr::memory_resource>
      memory;                       ///< of the host's tiles; before `host`, which it outlives
  std::unique_ptr<HostStore> host;  ///< holds this rank's tiles of C
};

/// Collective over `communicator`, whose ranks from plan.grid.size() on have no work. Tiles of A, of B
/// where it is given and of the initial C are filled before the clock starts. What fails on a rank until then
/// is thrown on all, as agree() has it (executor/mpi/session.hpp). Throws WorkError when MPI, a worker or a
/// GPU fails later, on this rank alone.
RunResult run(const Plan& plan, const Contraction& contraction, const Machine& machine, MPI_Comm communicator,
              const RunOptions& options = {});

}  // namespace foretile
