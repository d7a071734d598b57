#include "scheduler/host_tiles.hpp"

#include <cassert>

#include "planner/owners.hpp"

namespace foretile {

namespace {

std::vector<bool> owned(const Contraction& p, const ProcessGrid& grid, Matrix matrix, int rank) {
  const Shape& shape = shape_of(p, matrix);
  std::vector<bool> mine(shape.nonzeros(), false);
  for (std::int32_t i = grid.row(rank); i < shape.rows(); i += grid.p) {
    for (std::size_t e = 0; e < shape.row(i).size(); ++e) {
      const TileId id = shape.first(i) + static_cast<TileId>(e);
      mine[id] = owner_of(p, grid, {matrix, id}) == rank;
    }
  }
  return mine;
}

}  // namespace

HostTiles::HostTiles(const Contraction& p, const Plan& frame, int rank, Release release)
    : release_(std::move(release)), a_(owned(p, frame.grid, Matrix::a, rank)) {
  if (!frame.operands.b.made()) b_ = owned(p, frame.grid, Matrix::b, rank);
}

void HostTiles::received(const Message& message, int forwards) {
  const Broadcast& broadcast = *message.broadcast;
  const Key key{message.owner, message.number};
  auto& present = broadcast.matrix == Matrix::a ? a_ : b_;
  for (const TileId tile : broadcast.tiles) {
    assert(!present[tile]);
    present[tile] = true;
  }
  if (broadcast.last_step == kEver) return;
  held_[key] = {forwards, true};
  by_last_step_.emplace(broadcast.last_step, std::pair{key, message.broadcast});
}

void HostTiles::forwarded(int owner, int number) {
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

void HostTiles::ended_before(int step, const std::function<void(TileRef)>& dropped) {
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
