#include "scheduler/device_memory.hpp"

#include <algorithm>
#include <cassert>

namespace foretile {

void DeviceMemory::pinned_grew(std::int64_t bytes) {
  pinned_ += bytes;
  peak_ = std::max(peak_, pinned_);
}

bool DeviceMemory::pin_if_present(TileRef tile) {
  Entry* const entry = entries_.find(tile);
  if (!entry) return false;
  if (entry->pins++ == 0) {
    spare_.splice(spare_.begin(), idle_, entry->place);
    pinned_grew(entry->bytes);
  }
  return true;
}

bool DeviceMemory::reserve(TileRef tile, std::int64_t bytes) {
  assert(!holds(tile));
  if (pinned_ + bytes > budget_) return false;
  while (used_ + bytes > budget_) {
    const TileRef leaving = idle_.front();
    spare_.splice(spare_.begin(), idle_, idle_.begin());
    used_ -= entries_.extract(leaving).bytes;
    ++evictions_;
    evicted_(leaving);
  }
  entries_[tile] = {bytes, 1, {}};
  used_ += bytes;
  pinned_grew(bytes);
  return true;
}

void DeviceMemory::unpin(TileRef tile) {
  Entry& entry = entries_.at(tile);
  assert(entry.pins > 0);
  if (--entry.pins > 0) return;
  pinned_ -= entry.bytes;
  if (spare_.empty()) spare_.emplace_front();
  spare_.front() = tile;
  entry.place = spare_.begin();
  idle_.splice(idle_.end(), spare_, entry.place);
}

void DeviceMemory::drop(TileRef tile) {
  const Entry entry = entries_.extract(tile);
  assert(entry.pins == 1);
  used_ -= entry.bytes;
  pinned_ -= entry.bytes;
}

void DeviceMemory::forget(TileRef tile) {
  if (!entries_.contains(tile)) return;
  const Entry entry = entries_.extract(tile);
  assert(entry.pins == 0);
  used_ -= entry.bytes;
  idle_.erase(entry.place);
  evicted_(tile);
}

}  // namespace foretile
