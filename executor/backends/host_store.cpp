// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/host_store.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "executor/cpu/combine.hpp"
#include "executor/tiles/in_parallel.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "planner/plan/owners.hpp"

namespace foretile {

HostStore::HostStore(const Contraction& contraction, const PlanFrame& frame, const RankPlan& plan, Rank rank,
                     const HostStoreOptions& options)
    : problem_(contraction),
      rank_(rank),
      devices_read_c_(foretile::devices_read_c(frame, contraction)),
      partial_sums_(frame.partial_sums),
      pooled_(frame.pool != Pool::none),
      gapless_(options.gapless),
      memory_(options.memory),
      seeded_(contraction),
      storage_(options.storage ? options.storage : &seeded_),
      tasks_(options.tasks) {
  c.reserve(static_cast<std::size_t>(contraction.c.nonzeros() / frame.grid.size()));  // about
  for (const Transfer& broadcast : plan.transfers) {
    const int number = static_cast<int>(outgoing_.size());
    outgoing_.push_back({message_header(broadcast, rank, number, memory_), broadcast});
    for (const TileId tile : broadcast.tiles) {
      if (!frame.flows()) add_own({broadcast.matrix, tile});
    }
  }
  for (const Sum& sum : plan.sums) add_sum(sum);
  if (frame.flows()) {
    add_flow(frame, plan);
    return;
  }
  for (const DevicePlan& device : plan.devices) add_used(frame, device);
  make_tiles(options.cores);
}

/// Nothing is there before: tasks make all tiles.
void HostStore::add_flow(const PlanFrame& frame, const RankPlan& plan) {
  flow_ = &frame;
  made_for_.resize(frame.steps.size());
  for (const FlowTask& task : plan.flow.tasks) {
    if (task.adds() && is_in_place(frame, task)) c_in_place_.emplace(task.reads.id, &task);
  }
  int number = static_cast<int>(outgoing_.size() + outgoing_sums_.size());
  for (const Transfer& result : plan.flow.results)
    outgoing_results_.push_back({message_header(result, rank_, number++, memory_), result});
}

void HostStore::add_sum(const Sum& sum) {
  OutgoingSum& outgoing = outgoing_sums_.emplace_back();
  if (sum.to) {
    const int number = static_cast<int>(outgoing_.size() + outgoing_sums_.size()) - 1;
    outgoing.header = message_header(parts_message(sum), rank_, number, memory_);
    outgoing.tiles = sum.tiles;
    outgoing.computed_by = sum.devices.front();
    return;
  }
  for (const TileId tile : sum.tiles) {
    if (!sum.devices.empty()) first_parts_.emplace(tile, sum.devices.front());
    if (problem_.reads_c()) add_initial_c(tile);
  }
}

std::optional<TileView> HostStore::in_place(TileRef tile) const {
  const std::optional<TileView> view = storage_->in_place(tile);
  return view && gapless_ && !extents_of(problem_, tile).gapless(*view) ? std::nullopt : view;
}

TileBuffer HostStore::new_c(TileId tile) {
  if (const auto found = c_in_place_.find(tile); found != c_in_place_.end()) {
    const TileExtents extents = extents_of(problem_, {Matrix::c, tile});
    if (std::byte* const place = tasks_->tensor_place(*found->second, !found->second->copies()))
      return TileBuffer::borrowed(extents.gapless_at(place), extents.bytes());
    c_in_place_.erase(found);
  }
  const std::optional<TileView> view = in_place({Matrix::c, tile});
  return view ? TileBuffer::borrowed(*view, problem_.c_bytes(tile))
              : TileBuffer(problem_.c_bytes(tile), memory_);
}

void HostStore::add_initial_c(TileId tile) {
  const TileRef ref{Matrix::c, tile};
  const auto place = c.emplace(tile, new_c(tile)).first;
  to_make_.push_back({ref, place->second.view(extents_of(problem_, ref).rows), in_place(ref).has_value()});
}

void HostStore::add_own(TileRef tile) {
  if (distributed_.contains(tile)) return;
  if (const std::optional<TileView> view = in_place(tile)) {
    distributed_[tile] = *view;
    return;
  }
  own_.emplace_back(bytes_of(problem_, tile), memory_);
  distributed_[tile] = own_.back().view(extents_of(problem_, tile).rows);
  to_make_.push_back({tile, distributed_[tile]});
}

std::vector<HostStore::PartToMake> HostStore::stage_b(std::span<const GeneratedPart> parts) {
  std::vector<PartToMake> places;
  places.reserve(parts.size());
  for (const GeneratedPart& part : parts) {
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
  in_parallel(to_make_.size(), cores, [&](std::size_t i) { make_tile(to_make_[i]); });
  to_make_ = {};
}

void HostStore::make_tile(const ToMake& one) const {
  const TileExtents extents = extents_of(problem_, one.tile);
  if (!one.numbers_there) {
    if (const std::optional<TileView> with_gaps = storage_->in_place(one.tile)) {
      copy_tile(extents, *with_gaps, one.to);
    } else {
      storage_->fill(one.tile, one.to.data);
    }
  }
  // Devices add to it; where C is computed as partial sums, the last addition of a sum knows beta.
  if (one.tile.matrix != Matrix::c || !devices_read_c_ || problem_.beta == 1.0) return;
  for_each_piece(extents, one.to, one.to, [&](const std::byte*, std::byte* numbers, std::int64_t bytes) {
    scale_tile(problem_.element(), problem_.beta, bytes / problem_.element_bytes(), numbers);
  });
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
  if (!frame.operands.b.generated() && owner_of(problem_, frame, b) == rank_) add_own(b);
  if (devices_read_c_ && !c.contains(product.c)) add_initial_c(product.c);
}

std::vector<MessagePiece> HostStore::message(Rank owner, int number) const {
  if (owner != rank_) return received_.at({owner, number})->pieces();
  const auto of = static_cast<std::size_t>(number);
  if (of < outgoing_.size()) return message(outgoing_[of]);
  const std::size_t sums_end = outgoing_.size() + outgoing_sums_.size();
  return of < sums_end ? message(outgoing_sums_[of - outgoing_.size()])
                       : message(outgoing_results_.at(of - sums_end));
}

std::vector<MessagePiece> HostStore::message(const Outgoing& outgoing) const {
  std::vector<MessagePiece> pieces{outgoing.header.bytes()};
  for (const TileId id : outgoing.broadcast.tiles) {
    const TileRef tile{outgoing.broadcast.matrix, id};
    const TileExtents extents = extents_of(problem_, tile);
    pieces.emplace_back(tile.matrix == Matrix::c   ? finished_c(id)
                        : tile.matrix == Matrix::t ? extents.gapless_at(tasks_->tensor_tile(id))
                                                   : distributed_.at(tile),
                        extents);
  }
  return pieces;
}

/// Own or received.
TileView HostStore::finished_c(TileId tile) const {
  const auto own = c.find(tile);
  return own == c.end() ? distributed_.at({Matrix::c, tile})
                        : own->second.view(extents_of(problem_, {Matrix::c, tile}).rows);
}

/// nullptr: the tile is generated.
std::byte* HostStore::tensor_of(const FlowTask& task) const {
  const PlanTensors& all = flow_->tensors;
  const TileId tile = task.reads.id;
  if (all.list[all.tensor_of(tile)].on_demand) return nullptr;
  return all.comes_to(rank_, tile) ? tensors_.at({tile, task.step}) : tasks_->tensor_tile(tile);
}

std::optional<PermutedCopy> HostStore::permuted_store(TileId tile) const {
  const auto found = c_in_place_.find(tile);
  if (found == c_in_place_.end() || found->second->copies()) return std::nullopt;
  return tasks_->permuted_store(*found->second);
}

std::vector<std::function<void()>> HostStore::task_jobs(const FlowTask& task, int parts) {
  if (task.adds() && c_in_place_.contains(task.reads.id)) return {[] {}};
  if (task.adds()) return tasks_->jobs(task, nullptr, finished_c(task.reads.id).data, parts);
  std::byte* const from = tensor_of(task);
  return tasks_->jobs(task, from, place_of_made(task, is_in_place(*flow_, task) ? from : nullptr), parts);
}

std::byte* HostStore::place_of_made(const FlowTask& task, std::byte* in_place) {
  const TileRef tile = task.writes;
  const TileExtents extents = extents_of(problem_, tile);
  auto& of_matrix = tile.matrix == Matrix::a ? written_a_ : tile.matrix == Matrix::b ? written_b_ : c;
  const TileView place = in_place ? extents.gapless_at(in_place)
                                  : of_matrix.insert_or_assign(tile.id, TileBuffer(extents.bytes(), memory_))
                                        .first->second.view(extents.rows);
  if (tile.matrix == Matrix::c) return place.data;
  distributed_[tile] = place;
  made_for_[task.step].push_back(tile);
  return place.data;
}

void HostStore::release_step(Step step) {
  for (const TileRef tile : made_for_[step]) {
    distributed_.erase(tile);
    (tile.matrix == Matrix::a ? written_a_ : written_b_).erase(tile.id);
  }
  made_for_[step] = {};
  const std::vector<TileId>& steps = flow_->steps;
  const TileId begin = steps[step];
  const TileId end =
      static_cast<std::size_t>(step) + 1 < steps.size() ? steps[step + 1] : problem_.c.nonzeros();
  std::erase_if(c, [&](const auto& tile) { return tile.first >= begin && tile.first < end; });
  std::erase_if(received_, [&](const auto& entry) {
    const Transfer& transfer = *entry.second->transfer();
    if (transfer.kind != TransferKind::result || transfer.step != step) return false;
    for (const TileId tile : transfer.tiles) {
      if (transfer.matrix == Matrix::t) {
        tensors_.erase({tile, step});
      } else {
        distributed_.erase({Matrix::c, tile});
      }
    }
    return true;
  });
  tasks_->step_over(step);
}

std::vector<MessagePiece> HostStore::message(const OutgoingSum& sum) const {
  std::vector<MessagePiece> pieces{sum.header.bytes()};
  for (const TileId tile : sum.tiles) pieces.emplace_back(parts_.at({tile, sum.computed_by}).bytes());
  return pieces;
}

bool HostStore::becomes_c(TileId tile, Device device) const {
  const auto first = first_parts_.find(tile);
  return first != first_parts_.end() && first->second == device && parts_become_c(problem_);
}

TileView HostStore::place_of_c(TileId tile, Device computed_by) {
  const Device device = pooled_ ? Device(0) : computed_by;  // PlanFrame::parts_of()
  TileBuffer& place = partial_sums_ ? parts_[{tile, device}] : c[tile];
  if (!place.data()) {
    place =
        !partial_sums_ || becomes_c(tile, device) ? new_c(tile) : TileBuffer(problem_.c_bytes(tile), memory_);
  }
  return place.view(problem_.m.size(problem_.c.row_of(tile)));
}

void HostStore::keep_c(TileId tile, TileBuffer numbers) {
  c[tile] = std::move(numbers);
}

std::vector<TileView> HostStore::parts(std::span<const TileId> tiles, const PlaceOfC& place) {
  std::vector<TileView> places;
  places.reserve(tiles.size());
  std::byte* of_message =
      place.kind == PlaceOfC::Kind::message ? received_.at({place.sender, place.number})->tiles() : nullptr;
  for (const TileId tile : tiles) {
    const TileExtents extents = extents_of(problem_, {Matrix::c, tile});
    if (of_message) {
      places.push_back(extents.gapless_at(of_message));
      of_message += extents.bytes();
    } else if (place.kind == PlaceOfC::Kind::device) {
      places.push_back(parts_.at({tile, place.device}).view(extents.rows));
    } else {
      TileBuffer& at_owner = c[tile];
      if (!at_owner.data()) at_owner = new_c(tile);
      places.push_back(at_owner.view(extents.rows));
    }
  }
  return places;
}

void HostStore::fill_part(const GeneratedPart& part, std::byte* tile) const {
  const TileRef whole{Matrix::b, part.tile};
  const std::optional<TileView> in_place = storage_->in_place(whole);
  if (!in_place) return storage_->fill_part(part, tile);
  const TileExtents extents = extents_of(problem_, whole);
  if (part.first == 0) copy_tile(extents, *in_place, extents.gapless_at(tile));
}

void HostStore::deliver_c() {
  for (auto& [tile, numbers] : c) {
    const TileRef ref{Matrix::c, tile};
    const std::optional<TileView> wanted = storage_->in_place(ref);
    const TileExtents extents = extents_of(problem_, ref);
    if (!wanted) {
      storage_->take(tile, numbers.view(extents.rows));
      continue;
    }
    if (wanted->data == numbers.data()) continue;
    copy_tile(extents, numbers.view(extents.rows), *wanted);
    numbers = TileBuffer::borrowed(*wanted, extents.bytes());
  }
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
    const TileExtents extents = extents_of(problem_, tile);
    if (tile.matrix == Matrix::t) {
      tensors_[{id, broadcast.step}] = memory;
    } else {
      distributed_[tile] = extents.gapless_at(memory);
    }
    memory += extents.bytes();
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
    const TileView* const place = distributed_.find(tile);
    if (place && place->data == memory) distributed_.erase(tile);
    memory += bytes_of(problem_, tile);
  }
  received_.erase(found);
}

}  // namespace foretile
