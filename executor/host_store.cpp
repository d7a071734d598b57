#include "executor/host_store.hpp"

#include <algorithm>
#include <cassert>
#include <thread>
#include <utility>

#include "executor/cpu/combine.hpp"
#include "executor/in_parallel.hpp"
#include "executor/initial_tile.hpp"
#include "planner/plan/owners.hpp"

namespace foretile {

HostStore::HostStore(const Contraction& contraction, const PlanFrame& frame, const RankPlan& plan, Rank rank,
                     int cores, std::pmr::memory_resource* memory)
    : problem_(contraction),
      rank_(rank),
      devices_read_c_(foretile::devices_read_c(frame, contraction)),
      c_in_parts_(frame.c_in_parts),
      memory_(memory) {
  c.reserve(static_cast<std::size_t>(contraction.c.nonzeros() / frame.grid.size()));  // about
  for (const Transfer& broadcast : plan.transfers) {
    const int number = static_cast<int>(outgoing_.size());
    outgoing_.push_back({message_header(broadcast, rank, number, memory_), broadcast});
    for (const TileId tile : broadcast.tiles) add_own({broadcast.matrix, tile});
  }
  for (const Sum& sum : plan.sums) add_sum(sum);
  for (const DevicePlan& device : plan.devices) add_used(frame, device);
  make_tiles(cores);
}

void HostStore::add_sum(const Sum& sum) {
  OutgoingSum& outgoing = outgoing_sums_.emplace_back();
  if (sum.to) {
    const int number = static_cast<int>(outgoing_.size() + outgoing_sums_.size()) - 1;
    outgoing.header = message_header(parts_message(sum), rank_, number, memory_);
    outgoing.tiles = sum.tiles;
    outgoing.computed_by = sum.devices.front();
  } else if (problem_.reads_c()) {
    for (const TileId tile : sum.tiles) add_initial_c(tile);
  }
}

void HostStore::add_initial_c(TileId tile) {
  const auto place = c.emplace(tile, TileBuffer(problem_.c_bytes(tile), memory_)).first;
  to_make_.push_back({{Matrix::c, tile}, place->second.data()});
}

void HostStore::add_own(TileRef tile) {
  if (distributed_.contains(tile)) return;
  own_.emplace_back(bytes_of(problem_, tile), memory_);
  distributed_[tile] = own_.back().data();
  to_make_.push_back({tile, own_.back().data()});
}

std::vector<HostStore::PartToMake> HostStore::stage_b(std::span<const MadePart> parts) {
  std::vector<PartToMake> places;
  places.reserve(parts.size());
  for (const MadePart& part : parts) {
    if (part.first == 0) {
      const bool fresh = staged_b.emplace(part.tile, TileBuffer(problem_.b_bytes(part.tile), memory_)).second;
      assert(fresh);
      static_cast<void>(fresh);
    }
    places.push_back({part, staged_b.at(part.tile).data()});
  }
  return places;
}

/// Tiles differ in size, so each thread takes the next one when it is done.
void HostStore::make_tiles(int cores) {
  const int here = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  in_parallel(to_make_.size(), std::min(cores, here), [&](std::size_t i) {
    const ToMake& one = to_make_[i];
    make_tile(problem_, one.tile, one.to);
    // Devices add to it; where C is computed in parts, the last addition of a sum knows beta.
    if (one.tile.matrix == Matrix::c && devices_read_c_ && problem_.beta != 1.0)
      scale_tile(problem_.element(), problem_.beta, bytes_of(problem_, one.tile) / problem_.element_bytes(),
                 one.to);
  });
  to_make_ = {};
}

/// In the order of loads, so that neighbours in memory travel together: A behind the B that it needs first.
void HostStore::add_used(const PlanFrame& frame, const DevicePlan& device) {
  for (const Block& block : device.blocks) {
    const BlockProducts products(problem_, block.columns);
    for (const Chunk& chunk : block.chunks) {
      for (const TileId a : chunk.a) {
        products.for_each(a, [&](const Product& product) { add_used(frame, product); });
        if (owner_of(problem_, frame, {Matrix::a, a}) == rank_) add_own({Matrix::a, a});
      }
    }
  }
}

void HostStore::add_used(const PlanFrame& frame, const Product& product) {
  const TileRef b{Matrix::b, product.b};
  if (!frame.operands.b.made() && owner_of(problem_, frame, b) == rank_) add_own(b);
  if (devices_read_c_ && !c.contains(product.c)) add_initial_c(product.c);
}

std::vector<std::span<const std::byte>> HostStore::message(Rank owner, int number) const {
  if (owner != rank_) {
    return received_.at({owner, number})->pieces();
  }
  if (number >= std::ssize(outgoing_)) return message(outgoing_sums_.at(number - outgoing_.size()));
  const Outgoing& outgoing = outgoing_.at(number);
  std::vector<std::span<const std::byte>> pieces{outgoing.header.bytes()};
  for (const TileId id : outgoing.broadcast.tiles) {
    const TileRef tile{outgoing.broadcast.matrix, id};
    pieces.emplace_back(distributed_.at(tile), static_cast<std::size_t>(bytes_of(problem_, tile)));
  }
  return pieces;
}

std::vector<std::span<const std::byte>> HostStore::message(const OutgoingSum& sum) const {
  std::vector<std::span<const std::byte>> pieces{sum.header.bytes()};
  for (const TileId tile : sum.tiles) pieces.emplace_back(parts_.at({tile, sum.computed_by}).bytes());
  return pieces;
}

TileBuffer& HostStore::home_of_c(TileId tile, Device device) {
  return c_in_parts_ ? parts_[{tile, device}] : c[tile];
}

std::vector<std::byte*> HostStore::parts(std::span<const TileId> tiles, const PlaceOfC& place) {
  std::vector<std::byte*> places;
  places.reserve(tiles.size());
  std::byte* of_message =
      place.kind == PlaceOfC::Kind::message ? received_.at({place.sender, place.number})->tiles() : nullptr;
  for (const TileId tile : tiles) {
    if (of_message) {
      places.push_back(of_message);
      of_message += problem_.c_bytes(tile);
    } else if (place.kind == PlaceOfC::Kind::device) {
      places.push_back(parts_.at({tile, place.device}).data());
    } else {
      TileBuffer& home = c[tile];
      if (!home.data()) home = TileBuffer(problem_.c_bytes(tile), memory_);
      places.push_back(home.data());
    }
  }
  return places;
}

void HostStore::release_parts(std::span<const TileId> tiles, Device computed_by) {
  for (const TileId tile : tiles) parts_.erase({tile, computed_by});
}

void HostStore::keep_parts(std::span<const TileId> tiles, Device computed_by) {
  for (const TileId tile : tiles) {
    const auto part = parts_.find({tile, computed_by});
    c.insert_or_assign(tile, std::move(part->second));
    parts_.erase(part);
  }
}

void HostStore::keep(std::shared_ptr<MessageBuffer> message) {
  std::byte* memory = message->tiles();
  const Transfer& broadcast = *message->transfer();
  if (broadcast.kind == TransferKind::parts) {
    received_[{message->owner(), message->number()}] = std::move(message);
    return;
  }
  for (const TileId id : broadcast.tiles) {
    const TileRef tile{broadcast.matrix, id};
    distributed_[tile] = memory;
    memory += bytes_of(problem_, tile);
  }
  received_[{message->owner(), message->number()}] = std::move(message);
}

/// A tile may have come again for a later step while this message was still being forwarded.
void HostStore::release(Rank owner, int number) {
  const auto found = received_.find({owner, number});
  if (found->second->transfer()->kind == TransferKind::parts) {
    received_.erase(found);
    return;
  }
  const std::byte* memory = found->second->tiles();
  const Transfer& broadcast = *found->second->transfer();
  for (const TileId id : broadcast.tiles) {
    const TileRef tile{broadcast.matrix, id};
    const std::byte* const* const place = distributed_.find(tile);
    if (place && *place == memory) distributed_.erase(tile);
    memory += bytes_of(problem_, tile);
  }
  received_.erase(found);
}

}  // namespace foretile
