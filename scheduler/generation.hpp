// SPDX-License-Identifier: BSD-3-Clause
// Tiles of B that are generated where they are needed.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/device_queue.hpp"
#include "scheduler/operations.hpp"
#include "scheduler/options.hpp"

namespace foretile {

/// Cores of a rank: generation takes them, and kernels where the devices are cores.
struct Cores {
  int busy = 0;
  int slots = 1;
  bool sums_wait = false;  ///< some addition of parts of C waits: tasks leave it the next core
  bool awaited = false;    ///< a device waits for more cores than are free: generation leaves them to it

  int free() const { return slots - busy; }
};

/// Makes tiles ahead of their loads, in load order, as far as the staging area reaches. A large tile is
/// divided into parts, which free cores take one after the other before any of the next tile: so the first
/// ones, which devices wait for, and the last ones are there soon, and the work in all is the same.
class Generation {
 public:
  /// References must outlive this object.
  Generation(const PlanFrame& frame, const Contraction& contraction, Backend& backend, Operations& operations,
             Cores& cores, const SchedulerOptions& options)
      : frame_(frame),
        problem_(contraction),
        backend_(backend),
        operations_(operations),
        cores_(cores),
        options_(options) {}

  /// For steps up to `last_step`: a tile that barriers keep from its device would keep others from the
  /// staging area, which the barriers may wait for.
  void advance(std::vector<DeviceQueue>& queues, std::int64_t last_step = kNoLimit);
  void done(const GenerateOperation& generated, const TraceEvent& event, RankStatistics& statistics);
  /// The item left the staging area for its device.
  void left(DeviceQueue& queue, const Item& item);

 private:
  /// A tile whose parts are made. They are in flight, or those from `next` on wait for a core.
  struct Divided {
    Item* item = nullptr;
    Device device = 0;
    int parts = 0;
    int next = 0;
    int unfinished = 0;
  };

  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

  Item* next_to_generate(DeviceQueue& queue) const;
  bool may_stage(DeviceQueue& queue, const ChunkWork& chunk) const;
  bool has_room(const Item& item) const;
  int parts_of(const Item& item) const;  // a core each
  DeviceQueue* choose(std::vector<DeviceQueue>& queues) const;
  bool start_next(std::vector<DeviceQueue>& queues);
  void start_part(Divided& tile);
  void start_tiles(DeviceQueue& queue, Device device);
  void take(DeviceQueue& queue, Item& item);
  Started<GenerateOperation> start(const Item& first, Device device);
  void add(const Started<GenerateOperation>& operation, Item& item, const GeneratedPart& part);
  std::int64_t elements_of(const Item& item) const { return item.bytes / problem_.element_bytes(); }
  bool staged(const Item& item);

  const PlanFrame& frame_;
  const Contraction& problem_;
  Backend& backend_;
  Operations& operations_;
  Cores& cores_;
  const SchedulerOptions& options_;
  std::vector<GeneratedPart> parts_;  // of the operation at hand
  std::vector<Divided> divided_;      // in flight: no more than cores. Parts wait of the last one only
  std::int64_t staged_bytes_ = 0;     // made or being made
  std::int64_t last_step_ = kNoLimit;
  bool stuck_ = false;  // until a tile leaves or a step opens: no tile is left to make, or none has room
};

}  // namespace foretile
