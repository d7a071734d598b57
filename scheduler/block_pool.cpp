// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/block_pool.hpp"

#include <algorithm>

#include "planner/plan/products.hpp"

namespace foretile {

BlockPool::BlockPool(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction,
                     bool in_plan_order)
    : flows_(frame.flows()),
      in_order_(in_plan_order),
      open_(frame.pool == Pool::open && !in_plan_order),
      taken_(plan.devices.size()) {
  int first = 0;
  for (const DevicePlan& device : plan.devices) {
    Share& share = shares_.emplace_back();
    share.blocks = &device.blocks;
    share.first = first;
    share.end = device.blocks.size();
    first += static_cast<int>(device.blocks.size());
    if (flows_) add_flow(contraction, shares_.size() - 1);
    if (!open_) continue;
    for (const Block& block : device.blocks) {
      share.flops.push_back(block_flops(contraction, block));
      share.planned += share.flops.back();
    }
    share.left = share.planned;
  }
  std::ranges::sort(waiting_, {}, &Waiting::of);
}

/// Lists the tiles of its blocks.
void BlockPool::add_flow(const Contraction& contraction, std::size_t device) {
  Share& share = shares_[device];
  for (std::size_t number = 0; number < share.blocks->size(); ++number) {
    const Block& block = (*share.blocks)[number];
    const BlockProducts products(contraction, block.columns);
    std::vector<std::pair<Matrix, TileId>> tiles;
    const bool first_step = block.chunks.front().step == 0;
    for (const Chunk& chunk : block.chunks) {
      for (const TileId a : chunk.a) {
        tiles.emplace_back(Matrix::a, a);
        products.for_each(a, [&](const Product& product) { tiles.emplace_back(Matrix::b, product.b); });
      }
    }
    std::ranges::sort(tiles);
    tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
    share.missing.push_back(first_step ? 0 : static_cast<std::int32_t>(tiles.size()));
    if (share.missing.back() == 0) share.ready.push(number);
    if (first_step) continue;
    for (const auto& [matrix, tile] : tiles)
      waiting_.push_back(
          {matrix, tile, static_cast<std::int32_t>(device), static_cast<std::int32_t>(number)});
  }
}

void BlockPool::is_here(TileRef tile) {
  const std::pair key(tile.matrix, tile.id);
  for (auto waiting = std::ranges::lower_bound(waiting_, key, {}, &Waiting::of);
       waiting != waiting_.end() && waiting->of() == key; ++waiting) {
    Share& share = shares_[static_cast<std::size_t>(waiting->device)];
    if (--share.missing[static_cast<std::size_t>(waiting->block)] == 0)
      share.ready.push(static_cast<std::size_t>(waiting->block));
  }
}

bool BlockPool::left(Device device) const {
  if (!flows_) return any(device);
  const auto number = static_cast<std::size_t>(device);
  return taken_[number].size() < shares_[number].blocks->size();
}

bool BlockPool::any(Device device) const {
  const Share& own = shares_[static_cast<std::size_t>(device)];
  if (flows_)
    return !own.ready.empty() &&
           (!in_order_ || own.ready.top() == taken_[static_cast<std::size_t>(device)].size());
  return own.next < own.end || (open_ && longest(device));
}

const Block* BlockPool::take(Device device) {
  Share& own = shares_[static_cast<std::size_t>(device)];
  std::vector<int>& taken = taken_[static_cast<std::size_t>(device)];
  if (flows_) {
    if (!any(device)) return nullptr;
    const std::size_t block = own.ready.top();
    own.ready.pop();
    taken.push_back(own.first + static_cast<int>(block));
    return &(*own.blocks)[block];
  }
  if (own.next < own.end) {
    taken.push_back(own.first + static_cast<int>(own.next));
    return &(*own.blocks)[own.next++];
  }
  const auto from = open_ ? longest(device) : std::nullopt;
  if (!from) return nullptr;
  Share& owner = shares_[*from];
  --owner.end;
  owner.left -= owner.flops[owner.end];
  own.left += owner.flops[owner.end];
  taken.push_back(owner.first + static_cast<int>(owner.end));
  return &(*owner.blocks)[owner.end];
}

void BlockPool::multiplied(Device device, double flops, double now_s) {
  if (!open_) return;
  Share& share = shares_[static_cast<std::size_t>(device)];
  share.done += flops;
  share.left -= flops;
  share.until_s = now_s;
}

/// Of those whose last block the device would be done with first, the one that has most to do.
std::optional<std::size_t> BlockPool::longest(Device thief) const {
  const Share& own = shares_[static_cast<std::size_t>(thief)];
  std::optional<std::size_t> longest;
  for (std::size_t other = 0; other < shares_.size(); ++other) {
    const Share& owner = shares_[other];
    if (static_cast<int>(other) == thief || owner.next == owner.end || !done_before(own, owner)) continue;
    if (!longest || longer(owner, shares_[*longest])) longest = other;
  }
  return longest;
}

/// Whether `one` will be busy for longer. A device that has done nothing may be so for ever.
bool BlockPool::longer(const Share& one, const Share& other) {
  if (one.known() != other.known()) return other.known();
  if (one.known()) return one.left * other.speed() > other.left * one.speed();
  return one.left * other.planned > other.left * one.planned;
}

/// What the thief still has to multiply counts, too: it takes a block when its last one is on its way.
bool BlockPool::done_before(const Share& thief, const Share& owner) {
  const bool known = thief.known() && owner.known();
  const double speed = known ? thief.speed() : thief.planned;
  const double of_owner = known ? owner.speed() : owner.planned;
  return (thief.left + owner.flops[owner.end - 1]) * of_owner < owner.left * speed;
}

}  // namespace foretile
