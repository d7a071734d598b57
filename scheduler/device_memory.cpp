#include "scheduler/device_memory.hpp"

#include <algorithm>
#include <cassert>

namespace foretile {

void DeviceMemory::pinned_grew(std::int64_t bytes) {
  pinned_ += bytes;
  peak_ = std::max(peak_, pinned_);
}

void DeviceMemory::enter_idle(TileSlot tile) {
  Residence& entry = at(tile);
  entry.older = youngest_;
  entry.younger = kNoSlot;
  (youngest_ == kNoSlot ? oldest_ : at(youngest_).younger) = tile;
  youngest_ = tile;
}

void DeviceMemory::leave_idle(const Residence& tile) {
  (tile.older == kNoSlot ? oldest_ : at(tile.older).younger) = tile.younger;
  (tile.younger == kNoSlot ? youngest_ : at(tile.younger).older) = tile.older;
}

void DeviceMemory::evict(TileSlot tile) {
  Residence& entry = at(tile);
  assert(entry.pins == 0);
  leave_idle(entry);
  entry.pins = Residence::kAbsent;
  used_ -= tiles_->bytes(tile);
  evicted_(tile);
}

bool DeviceMemory::take(std::int64_t bytes) {
  if (pinned_ + bytes > budget_) return false;
  while (used_ + bytes > budget_) {
    ++evictions_;
    evict(oldest_);
  }
  used_ += bytes;
  pinned_grew(bytes);
  return true;
}

void DeviceMemory::give_back(std::int64_t bytes) {
  used_ -= bytes;
  pinned_ -= bytes;
}

bool DeviceMemory::pin_if_present(TileSlot tile) {
  Residence& entry = at(tile);
  if (entry.pins == Residence::kAbsent) return false;
  if (entry.pins++ == 0) {
    leave_idle(entry);
    pinned_grew(tiles_->bytes(tile));
  }
  return true;
}

bool DeviceMemory::reserve(TileSlot tile) {
  assert(!holds(tile));
  if (!take(tiles_->bytes(tile))) return false;
  at(tile).pins = 1;
  return true;
}

void DeviceMemory::unpin(TileSlot tile) {
  Residence& entry = at(tile);
  assert(entry.pins > 0);
  if (--entry.pins > 0) return;
  pinned_ -= tiles_->bytes(tile);
  enter_idle(tile);
}

void DeviceMemory::forget(TileSlot tile) {
  if (holds(tile)) evict(tile);
}

}  // namespace foretile
