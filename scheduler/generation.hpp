// Tiles of B that are made where they are needed.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/device_queue.hpp"
#include "scheduler/operations.hpp"

namespace foretile {

/// Cores of a rank: generation takes them, and kernels where the devices are cores.
struct Cores {
  int busy = 0;
  int slots = 1;
};

/// Makes tiles ahead of their loads, in load order, as far as the staging area reaches.
class Generation {
 public:
  Generation(const PlanFrame& frame, const Contraction& contraction, Backend& backend, Operations& operations,
             Cores& cores, int tiles_at_once)
      : frame_(frame),
        problem_(contraction),
        backend_(backend),
        operations_(operations),
        cores_(cores),
        tiles_at_once_(tiles_at_once) {}

  void advance(std::vector<DeviceQueue>& queues);
  void done(const GenerateOperation& generated, const TraceEvent& event, RankStatistics& statistics);
  /// The item left the staging area for its device.
  void left(DeviceQueue& queue, const Item& item);

 private:
  bool has_room(const Item& item) const;
  void take(DeviceQueue& queue, Item& item, TraceEvent& event);

  const PlanFrame& frame_;
  const Contraction& problem_;
  Backend& backend_;
  Operations& operations_;
  Cores& cores_;
  int tiles_at_once_;
  std::vector<TileId> tiles_;      // of the operation at hand
  std::int64_t staged_bytes_ = 0;  // made or being made
  bool stuck_ = false;             // until a tile leaves: no tile is left to make, or none has room
};

}  // namespace foretile
