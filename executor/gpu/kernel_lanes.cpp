// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/kernel_lanes.hpp"

#include <algorithm>

namespace foretile {

Lane KernelLanes::least_busy() const {
  return kFirstKernelLane +
         static_cast<Lane>(std::min_element(in_flight_.begin(), in_flight_.end()) - in_flight_.begin());
}

KernelLanes::Choice KernelLanes::start(std::span<const TileId> c) {
  std::vector<int> tiles_on(in_flight_.size(), 0);
  for (const TileId tile : c) {
    if (const auto found = busy_.find(tile); found != busy_.end())
      ++tiles_on[found->second.lane - kFirstKernelLane];
  }
  const auto most = std::max_element(tiles_on.begin(), tiles_on.end());
  Choice choice;
  choice.lane = *most > 0 ? kFirstKernelLane + static_cast<Lane>(most - tiles_on.begin()) : least_busy();
  for (std::size_t l = 0; l < tiles_on.size(); ++l) {
    const Lane lane = kFirstKernelLane + static_cast<Lane>(l);
    if (tiles_on[l] > 0 && lane != choice.lane) choice.follow.push_back(lane);
  }
  for (const TileId tile : c) {
    Busy& busy = busy_[tile];
    busy.lane = choice.lane;
    ++busy.launches;
  }
  ++in_flight_[choice.lane - kFirstKernelLane];
  return choice;
}

void KernelLanes::ended(Lane lane, std::span<const TileId> c) {
  --in_flight_[lane - kFirstKernelLane];
  for (const TileId tile : c) {
    const auto found = busy_.find(tile);
    if (--found->second.launches == 0) busy_.erase(found);
  }
}

}  // namespace foretile
