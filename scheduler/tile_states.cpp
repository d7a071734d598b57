// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/tile_states.hpp"

#include <algorithm>
#include <bit>

namespace foretile {

TileSlot TileStates::slot(TileRef tile, std::int64_t bytes) {
  const auto [entry, is_new] = slot_of_[static_cast<std::size_t>(tile.matrix)].try_emplace(tile.id, kNoSlot);
  TileSlot& slot = entry.value();
  if (!is_new) return slot;
  if (free_.empty()) {
    slot = static_cast<TileSlot>(shared_.size());
    shared_.emplace_back();
    residences_.resize(shared_.size() * devices_);
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  shared_[slot] = {.id = tile.id, .bytes = bytes, .matrix = tile.matrix};
  return slot;
}

TileSlot TileStates::find(TileRef tile) const {
  const auto& slots = slot_of_[static_cast<std::size_t>(tile.matrix)];
  const auto found = slots.find(tile.id);
  return found == slots.end() ? kNoSlot : found->second;
}

std::optional<MemoryPlace> TileStates::source(TileSlot slot, Device device, std::uint64_t near) const {
  const Shared& shared = shared_[slot];
  const std::uint64_t others = shared.devices & ~(1ULL << device);
  if (others == 0) return shared.coming > 0 ? std::nullopt : std::optional(kHost);
  return std::countr_zero(others & near ? others & near : others);
}

void TileStates::load_started(TileSlot slot, double arrival_s) {
  Shared& shared = shared_[slot];
  shared.expected_s = shared.coming == 0 ? arrival_s : std::min(shared.expected_s, arrival_s);
  ++shared.coming;
}

void TileStates::load_ended(TileSlot slot, Device device) {
  Shared& shared = shared_[slot];
  --shared.coming;
  shared.devices |= 1ULL << device;
}

void TileStates::left(TileSlot slot, Device device) {
  Shared& shared = shared_[slot];
  if (device < static_cast<int>(kMostDevices)) shared.devices &= ~(1ULL << device);
  if (--shared.holders > 0) return;
  slot_of_[static_cast<std::size_t>(shared.matrix)].erase(shared.id);
  free_.push_back(slot);
}

}  // namespace foretile
