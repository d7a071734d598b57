// SPDX-License-Identifier: BSD-3-Clause
// On which lane a launch goes, so that products on the same tile of C keep their order.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "executor/gpu/gpu.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

class KernelLanes {
 public:
  explicit KernelLanes(int lanes) : in_flight_(lanes, 0) {}

  struct Choice {
    Lane lane = kFirstKernelLane;
    std::vector<Lane> follow;  ///< other lanes on which tiles of C are worked on: to be followed first
  };
  /// The lane on which most of the tiles are worked on; else the one with the least in flight. The launch
  /// counts as in flight until `ended` is called with the same lane and tiles. A tile may be named several
  /// times.
  Choice start(std::span<const TileId> c);
  void ended(Lane lane, std::span<const TileId> c);

 private:
  struct Busy {
    Lane lane = kFirstKernelLane;  // of the last launch
    int launches = 0;
  };
  Lane least_busy() const;

  std::vector<int> in_flight_;
  std::unordered_map<TileId, Busy> busy_;
};

}  // namespace foretile
