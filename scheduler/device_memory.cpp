// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/device_memory.hpp"

#include <algorithm>
#include <cassert>

namespace foretile {

void DeviceMemory::pinned_grew(std::int64_t bytes) {
  pinned_ += bytes;
  peak_ = std::max(peak_, pinned_);
}

void DeviceMemory::enter_idle(TileSlot tile) {
  at(tile).make_idle(youngest_, kNoSlot);
  if (youngest_ == kNoSlot)
    oldest_ = tile;
  else
    at(youngest_).make_idle(at(youngest_).older(), tile);
  youngest_ = tile;
}

void DeviceMemory::leave_idle(const Residence& tile) {
  const TileSlot older = tile.older(), younger = tile.younger();
  if (older == kNoSlot)
    oldest_ = younger;
  else
    at(older).make_idle(at(older).older(), younger);
  if (younger == kNoSlot)
    youngest_ = older;
  else
    at(younger).make_idle(older, at(younger).younger());
}

void DeviceMemory::evict(TileSlot tile) {
  Residence& entry = at(tile);
  assert(entry.idle());
  leave_idle(entry);
  entry.make_absent();
  used_ -= tiles_->bytes(tile);
  evicted_(tiles_->tile(tile));
  tiles_->left(tile, Device::of(device_));
}

bool DeviceMemory::take(std::int64_t bytes) {
  if (pinned_ + bytes > budget_) {
    was_full_ = true;
    return false;
  }
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
  if (entry.absent()) return false;
  if (entry.idle()) {
    leave_idle(entry);
    pinned_grew(tiles_->bytes(tile));
    entry.make_pinned(1);
  } else {
    entry.make_pinned(entry.pins() + 1);
  }
  return true;
}

bool DeviceMemory::reserve(TileSlot tile) {
  assert(!holds(tile));
  if (!take(tiles_->bytes(tile))) return false;
  at(tile).make_pinned(1);
  tiles_->entered(tile);
  return true;
}

void DeviceMemory::unpin(TileSlot tile) {
  Residence& entry = at(tile);
  assert(entry.pins() > 0);
  if (entry.pins() > 1) return entry.make_pinned(entry.pins() - 1);
  pinned_ -= tiles_->bytes(tile);
  enter_idle(tile);
}

void DeviceMemory::forget(TileSlot tile) {
  if (holds(tile)) evict(tile);
}

}  // namespace foretile
