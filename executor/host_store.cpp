#include "executor/host_store.hpp"

#include "executor/initial_tile.hpp"
#include "planner/owners.hpp"
#include "planner/products.hpp"

namespace foretile {

HostStore::HostStore(const Contraction& contraction, const Plan& frame, const RankPlan& plan, int rank)
    : problem_(contraction), rank_(rank) {
  for (const Broadcast& broadcast : plan.broadcasts) {
    const int number = static_cast<int>(outgoing_.size());
    outgoing_.push_back({message_header(broadcast, rank, number), broadcast});
    for (const TileId tile : broadcast.tiles) make_own({broadcast.matrix, tile});
  }
  for (const DevicePlan& device : plan.devices) make_used(frame, device);
}

void HostStore::make_own(TileRef tile) {
  if (distributed_.contains(tile)) return;
  own_.push_back(initial_tile(problem_, tile));
  distributed_[tile] = own_.back().data();
}

void HostStore::make_used(const Plan& frame, const DevicePlan& device) {
  const auto own = [&](TileRef tile) { return owner_of(problem_, frame.grid, tile) == rank_; };
  for (const Block& block : device.blocks) {
    const BlockProducts products(problem_, block.columns);
    for (const Chunk& chunk : block.chunks) {
      for (const TileId a : chunk.a) {
        if (own({Matrix::a, a})) make_own({Matrix::a, a});
        products.for_each(a, [&](const Product& product) {
          const TileRef b{Matrix::b, product.b};
          if (frame.b_tiles == BTiles::stream && own(b)) make_own(b);
          if (problem_.accumulate && !c.contains(product.c)) {
            c.emplace(product.c, initial_tile(problem_, {Matrix::c, product.c}));
          }
        });
      }
    }
  }
}

std::vector<std::span<const double>> HostStore::message(int owner, int number) const {
  if (owner != rank_) {
    const MessageBuffer& buffer = *received_.at({owner, number});
    return {{buffer.words(), static_cast<std::size_t>(buffer.size())}};
  }
  const Outgoing& outgoing = outgoing_.at(number);
  std::vector<std::span<const double>> pieces{outgoing.header.elements()};
  for (const TileId id : outgoing.broadcast.tiles) {
    const TileRef tile{outgoing.broadcast.matrix, id};
    pieces.emplace_back(distributed_.at(tile), static_cast<std::size_t>(bytes_of(problem_, tile) / 8));
  }
  return pieces;
}

void HostStore::keep(std::shared_ptr<MessageBuffer> message) {
  double* memory = message->tiles();
  const Broadcast& broadcast = *message->broadcast();
  for (const TileId id : broadcast.tiles) {
    const TileRef tile{broadcast.matrix, id};
    distributed_[tile] = memory;
    memory += bytes_of(problem_, tile) / 8;
  }
  received_[{message->owner(), message->number()}] = std::move(message);
}

/// A tile may have come again for a later step while this message was still being forwarded.
void HostStore::release(int owner, int number) {
  const auto found = received_.find({owner, number});
  const double* memory = found->second->tiles();
  const Broadcast& broadcast = *found->second->broadcast();
  for (const TileId id : broadcast.tiles) {
    const TileRef tile{broadcast.matrix, id};
    const auto place = distributed_.find(tile);
    if (place != distributed_.end() && place->second == memory) distributed_.erase(place);
    memory += bytes_of(problem_, tile) / 8;
  }
  received_.erase(found);
}

}  // namespace foretile
