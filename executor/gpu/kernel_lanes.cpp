// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/kernel_lanes.hpp"

#include <algorithm>

namespace foretile {

Lane KernelLanes::least_busy() const {
  return kFirstKernelLane +
         static_cast<Lane>(std::min_element(in_flight_.begin(), in_flight_.end()) - in_flight_.begin());
}

void KernelLanes::count_tiles(std::span<const TileId> c) {
  std::fill(tiles_on_.begin(), tiles_on_.end(), 0);
  for (const TileId tile : c) {
    const Busy* const found = busy_.find({Matrix::c, tile});
    if (found && found->launches > 0) ++tiles_on_[found->lane - kFirstKernelLane];
  }
}

const KernelLanes::Choice& KernelLanes::start(std::span<const TileId> c) {
  count_tiles(c);
  const auto most = std::max_element(tiles_on_.begin(), tiles_on_.end());
  choice_.lane = *most > 0 ? kFirstKernelLane + static_cast<Lane>(most - tiles_on_.begin()) : least_busy();
  choice_.follow.clear();
  choice_.repeats = false;
  for (std::size_t l = 0; l < tiles_on_.size(); ++l) {
    const Lane lane = kFirstKernelLane + static_cast<Lane>(l);
    if (tiles_on_[l] > 0 && lane != choice_.lane) choice_.follow.push_back(lane);
  }
  ++launches_;
  for (const TileId tile : c) {
    Busy& busy = busy_[{Matrix::c, tile}];
    busy.lane = choice_.lane;
    ++busy.launches;
    choice_.repeats = choice_.repeats || busy.number == launches_;
    busy.number = launches_;
  }
  ++in_flight_[choice_.lane - kFirstKernelLane];
  return choice_;
}

/// Entries stay: the tile will be worked on again.
void KernelLanes::ended(Lane lane, std::span<const TileId> c) {
  --in_flight_[lane - kFirstKernelLane];
  for (const TileId tile : c) --busy_.at({Matrix::c, tile}).launches;
}

}  // namespace foretile
