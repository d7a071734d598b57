// SPDX-License-Identifier: BSD-3-Clause
// On which lane a launch goes, so that products on the same tile of C keep their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "executor/gpu/gpu.hpp"
#include "planner/problem/tile_ref.hpp"
#include "planner/problem/tile_table.hpp"

namespace foretile {

class KernelLanes {
 public:
  explicit KernelLanes(int lanes) : in_flight_(lanes, 0), tiles_on_(lanes, 0) {}

  struct Choice {
    Lane lane = kFirstKernelLane;
    std::vector<Lane> follow;  ///< other lanes on which tiles of C are worked on: to be followed first
    bool repeats = false;      ///< a tile is named several times
  };
  /// The lane on which most of the tiles are worked on; else the one with the least in flight. The launch
  /// counts as in flight until `ended` is called with the same lane and tiles. A tile may be named several
  /// times. The answer is valid until the next call.
  const Choice& start(std::span<const TileId> c);
  void ended(Lane lane, std::span<const TileId> c);

 private:
  struct Busy {
    Lane lane = kFirstKernelLane;  // of the last launch
    int launches = 0;              // under way
    std::uint64_t number = 0;      // of the last launch
  };
  Lane least_busy() const;
  void count_tiles(std::span<const TileId> c);

  std::vector<int> in_flight_;
  std::vector<int> tiles_on_;  // of the tiles of a launch, by lane
  Choice choice_;
  TileTable<Busy> busy_;
  std::uint64_t launches_ = 0;
};

}  // namespace foretile
