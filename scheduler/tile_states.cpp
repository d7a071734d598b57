#include "scheduler/tile_states.hpp"

#include <algorithm>
#include <bit>

namespace foretile {

TileSlot TileStates::slot(TileRef tile, std::int64_t bytes) {
  std::vector<TileSlot>& slots = slot_of_[static_cast<std::size_t>(tile.matrix)];
  const auto index = static_cast<std::size_t>(tile.id);
  if (index >= slots.size()) slots.resize(index + 1, kNoSlot);
  TileSlot& slot = slots[index];
  if (slot != kNoSlot) return slot;
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
  const std::vector<TileSlot>& slots = slot_of_[static_cast<std::size_t>(tile.matrix)];
  return tile.id < std::ssize(slots) ? slots[static_cast<std::size_t>(tile.id)] : kNoSlot;
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
  slot_of_[static_cast<std::size_t>(shared.matrix)][static_cast<std::size_t>(shared.id)] = kNoSlot;
  free_.push_back(slot);
}

}  // namespace foretile
