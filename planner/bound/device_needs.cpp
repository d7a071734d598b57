// SPDX-License-Identifier: BSD-3-Clause
#include "planner/bound/device_needs.hpp"

#include <algorithm>
#include <optional>

#include "planner/plan/owners.hpp"

namespace foretile {

NeedsCounter::NeedsCounter(const Plan& plan, const Contraction& contraction, const Machine& machine,
                           const CountFunction& progress)
    : plan_(plan),
      p_(contraction),
      machine_(machine),
      progress_(progress),
      generation_(machine, contraction.sources.b == Source::in_file),
      least_(nullptr),
      origins_(contraction, plan),
      gpu_(false),
      made_here_(false),
      alone_(machine.devices_per_rank == 1),
      a_(contraction.a.nonzeros()),
      b_(contraction.b.nonzeros()),
      c_(contraction.c.nonzeros()) {
  for (const DeviceClass& alike : plan.device_classes)
    of_class_.emplace_back(machine, contraction.element(), plan.batch, alike.kind, alike.cores);
}

std::vector<BlockNeeds> NeedsCounter::blocks(Rank rank, const DevicePlan& device) {
  rank_ = rank;
  memory_ = plan_.memory_of(device);
  least_ = &of_class_[static_cast<std::size_t>(device.device_class)];
  gpu_ = !plan_.class_of(device).in_host_memory();
  made_here_ = gpu_ && generation_.on_device();
  ++device_number_;
  std::vector<BlockNeeds> needs;
  for (const Block& next : device.blocks) needs.push_back(block(next));
  return needs;
}

BlockNeeds NeedsCounter::block(const Block& block) {
  ++block_number_;
  c_bytes_ = 0;
  again_.clear();
  BlockNeeds needs;
  needs.gpu = gpu_;
  const BlockProducts products(p_, block.columns);
  std::optional<Product> first, last;
  for (const Chunk& chunk : block.chunks) {
    ChunkNeeds& chunk_needs = needs.chunks.emplace_back();
    std::int64_t count = 0;
    for (const TileId a : chunk.a) {
      if (gpu_) load_stream({Matrix::a, a}, needs, chunk_needs);
      products.for_each(a, [&](const Product& x) {
        if (!first) first = x;
        last = x;
        ++count;
        product(x, needs, chunk_needs);
      });
    }
    chunk_needs.products_s += least_->launches(count);
    if (count > 0) chunk_needs.shortest_s += least_->launches(1);
    seen_ += count;
    if (progress_) progress_(seen_);
  }
  for (const ChunkNeeds& chunk : needs.chunks) needs.load_manager_s += chunk.manager_s;
  // In a program blocks begin when their tiles are there: what the device had before is open.
  if (!plan_.flows()) reload(needs, plan_.operands.b.streams() ? memory_ : memory_ - c_bytes_);
  if (last) needs.last_store_s = store_seconds(machine_.platform, gpu_, p_.c_bytes(last->c));
  if (first) first_of(first->b, needs);
  return needs;
}

/// Until the tile of B that the block's first product uses is there.
void NeedsCounter::first_of(TileId b, BlockNeeds& needs) const {
  const Platform& p = machine_.platform;
  const std::int64_t bytes = p_.b_bytes(b);
  if (plan_.operands.b.generated() && !made_here_)
    needs.generation_s = generation_.tile_s(bytes, p_.element_bytes());
  if (!gpu_ || plan_.operands.b.streams()) return;
  needs.first_load_s = made_here_ ? generation_.device_s(static_cast<double>(bytes))
                                  : copy_seconds(copy_in_cost(p, origins_.of(rank_, {Matrix::b, b}), bytes),
                                                 p.links.host_to_device);
}

void NeedsCounter::product(const Product& x, BlockNeeds& needs, ChunkNeeds& chunk) {
  const double work_s = least_->work(p_.m.size(x.i), p_.n.size(x.j), p_.k.size(x.k));
  chunk.shortest_s = chunk.products_s > 0 ? std::min(chunk.shortest_s, work_s) : work_s;
  chunk.products_s += work_s;
  if (plan_.operands.b.streams()) {
    if (gpu_) load_stream({Matrix::b, x.b}, needs, chunk);
  } else {
    load_kept({Matrix::b, x.b}, needs, chunk);
  }
  use_c(x.c, needs);
}

/// What B that stays brings: made or from the host, once for each block.
void NeedsCounter::load_kept(TileRef tile, BlockNeeds& needs, ChunkNeeds& chunk) {
  if (std::exchange(b_[tile.id].block, block_number_) == block_number_) return;
  const std::int64_t bytes = p_.b_bytes(tile.id);
  if (plan_.operands.b.generated()) needs.generated_bytes += static_cast<double>(bytes);
  if (!gpu_ || made_here_) return;
  chunk.manager_s += manager_s(tile, bytes);
  load_from_host(bytes, needs);
}

void NeedsCounter::load_from_host(std::int64_t bytes, BlockNeeds& needs) {
  needs.host_bytes += static_cast<double>(bytes);
  needs.loaded_bytes += static_cast<double>(bytes);
  host_.bytes += static_cast<double>(bytes);
}

/// A tile that may have come from another device, or be here still.
void NeedsCounter::load_stream(TileRef tile, BlockNeeds& needs, ChunkNeeds& chunk) {
  Use& use = (tile.matrix == Matrix::a ? a_ : b_)[tile.id];
  if (std::exchange(use.block, block_number_) == block_number_) return;
  const std::int64_t bytes = bytes_of(p_, tile);
  // It may be on the very device that needs it, or on one beside it: no link need be used, again and again.
  if (plan_.messages_on_devices() && owner_of(p_, plan_, tile) != rank_) {
    if (std::exchange(use.device, device_number_) != device_number_)
      chunk.manager_s += machine_.platform.runtime.copy_overhead_s;
    return;
  }
  if (std::exchange(use.rank, rank_ + 1) != rank_ + 1) {
    host_.bytes += static_cast<double>(bytes);
    if (!alone_) host_.blocked_s += manager_s(tile, bytes) - machine_.platform.runtime.copy_overhead_s;
  }
  if (std::exchange(use.device, device_number_) == device_number_) {
    again_.push_back(bytes);
    return;
  }
  chunk.manager_s += alone_ ? manager_s(tile, bytes) : machine_.platform.runtime.copy_overhead_s;
  needs.loaded_bytes += static_cast<double>(bytes);
}

void NeedsCounter::use_c(TileId c, BlockNeeds& needs) {
  if (std::exchange(c_[c].block, block_number_) == block_number_) return;
  const std::int64_t bytes = p_.c_bytes(c);
  c_bytes_ += bytes;
  if (gpu_) needs.stored_bytes += static_cast<double>(bytes);
  needs.store_manager_s += machine_.platform.runtime.copy_overhead_s;
  if (!gpu_ || !devices_read_c(plan_, p_)) return;
  needs.load_manager_s += manager_s({Matrix::c, c}, bytes);
  load_from_host(bytes, needs);
}

/// Of the tiles that the device has had, no more than `room_bytes` can be there still when the block begins;
/// at best they are the smallest ones, and a part of the next.
void NeedsCounter::reload(BlockNeeds& needs, std::int64_t room_bytes) {
  std::sort(again_.begin(), again_.end());
  auto room = static_cast<double>(std::max<std::int64_t>(0, room_bytes));
  const double copy_s = machine_.platform.runtime.copy_overhead_s;
  for (const std::int64_t tile : again_) {
    const auto bytes = static_cast<double>(tile);
    const double kept = std::min(room, bytes);
    room -= kept;
    needs.load_manager_s += copy_s * (1 - kept / bytes);
    needs.loaded_bytes += bytes - kept;
  }
}

/// Of a copy from the host.
double NeedsCounter::manager_s(TileRef tile, std::int64_t bytes) const {
  return copy_in_cost(machine_.platform, origins_.of(rank_, tile), bytes).manager_s();
}

}  // namespace foretile
