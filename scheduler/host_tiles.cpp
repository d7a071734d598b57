#include "scheduler/host_tiles.hpp"

#include <cassert>

#include "planner/plan/owners.hpp"

namespace foretile {

HostTiles::HostTiles(const Contraction& p, const PlanFrame& frame, Rank rank, Release release)
    : release_(std::move(release)) {
  const auto owned = [&](Matrix matrix) {
    return owned_by(p, frame.grid, frame.operands.of(matrix).distribution, matrix, rank);
  };
  a_ = owned(Matrix::a);
  if (!frame.operands.b.made()) b_ = owned(Matrix::b);
}

void HostTiles::received(const Message& message, int forwards) {
  const Transfer& broadcast = *message.transfer;
  const Key key{message.owner, message.number};
  auto& present = broadcast.matrix == Matrix::a ? a_ : b_;
  for (const TileId tile : broadcast.tiles) {
    assert(!present[tile]);
    present[tile] = true;
  }
  if (broadcast.last_step == kEver) return;
  held_[key] = {forwards, true};
  by_last_step_.emplace(broadcast.last_step, std::pair{key, message.transfer});
}

void HostTiles::forwarded(Rank owner, int number) {
  const auto found = held_.find({owner, number});
  if (found == held_.end()) return;
  --found->second.forwards;
  release_if_done(found->first);
}

void HostTiles::release_if_done(Key key) {
  const Held& held = held_.at(key);
  if (held.in_use || held.forwards > 0) return;
  held_.erase(key);
  release_(key.first, key.second);
}

void HostTiles::ended_before(Step step, const std::function<void(TileRef)>& dropped) {
  while (!by_last_step_.empty() && by_last_step_.begin()->first < step) {
    const auto [key, broadcast] = by_last_step_.extract(by_last_step_.begin()).mapped();
    auto& present = broadcast->matrix == Matrix::a ? a_ : b_;
    for (const TileId tile : broadcast->tiles) {
      present[tile] = false;
      dropped({broadcast->matrix, tile});
    }
    held_.at(key).in_use = false;
    release_if_done(key);
  }
}

}  // namespace foretile
