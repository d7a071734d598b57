// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/host_tiles.hpp"

#include <cassert>

#include "planner/plan/owners.hpp"

namespace foretile {

HostTiles::HostTiles(const Contraction& p, const PlanFrame& frame, Rank rank, Release release, Unmade unmade)
    : problem_(p), frame_(frame), rank_(rank), release_(std::move(release)), unmade_(std::move(unmade)) {}

bool HostTiles::holds(TileRef tile) const {
  if (frame_.grid.size() == 1 || owner_of(problem_, frame_, tile) == rank_)
    return !frame_.flows() || !unmade_(tile);
  return received_of(tile.matrix).contains(tile.id);
}

MemoryPlace HostTiles::place_of(TileRef tile) const {
  const Received& received = received_of(tile.matrix);
  const auto found = received.find(tile.id);
  return found == received.end() ? kHost : found->second;
}

void HostTiles::received(const Message& message, int forwards, MemoryPlace place) {
  const Transfer& broadcast = *message.transfer;
  const Key key{message.owner, message.number};
  for (const TileId tile : broadcast.tiles) {
    assert(!holds({broadcast.matrix, tile}));
    received_of(broadcast.matrix).emplace(tile, place);
  }
  if (broadcast.last_step == kEver) return;
  held_[key] = {forwards, true, broadcast.step};
  by_last_step_[broadcast.last_step].emplace_back(key, message.transfer);
}

std::optional<Step> HostTiles::forwarded(Rank owner, int number) {
  const auto found = held_.find({owner, number});
  if (found == held_.end()) return {};
  const Step step = found->second.step;
  --found.value().forwards;
  release_if_done(found->first, found->second);
  return step;
}

void HostTiles::release_if_done(Key key, Held held) {
  if (held.in_use || held.forwards > 0) return;
  held_.erase(key);
  release_(key.first, key.second);
}

void HostTiles::ended_before(Step step, const std::function<void(TileRef)>& dropped) {
  while (!by_last_step_.empty() && by_last_step_.begin()->first < step) {
    const auto over = by_last_step_.extract(by_last_step_.begin());
    for (const auto& [key, broadcast] : over.mapped()) {
      for (const TileId tile : broadcast->tiles) {
        received_of(broadcast->matrix).erase(tile);
        dropped({broadcast->matrix, tile});
      }
      Held& held = held_.at(key);
      held.in_use = false;
      release_if_done(key, held);
    }
  }
}

}  // namespace foretile
