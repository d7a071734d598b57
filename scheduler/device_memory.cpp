#include "scheduler/device_memory.hpp"

#include <algorithm>
#include <cassert>

namespace foretile {

void DeviceMemory::pinned_grew(std::int64_t bytes) {
  pinned_ += bytes;
  peak_ = std::max(peak_, pinned_);
}

bool DeviceMemory::pin_if_present(TileRef tile) {
  const auto found = entries_.find(key(tile));
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  if (entry.pins++ == 0) {
    idle_.erase(entry.place);
    pinned_grew(entry.bytes);
  }
  return true;
}

bool DeviceMemory::reserve(TileRef tile, std::int64_t bytes) {
  assert(!holds(tile));
  if (pinned_ + bytes > budget_) return false;
  while (used_ + bytes > budget_) {
    const auto oldest = entries_.find(idle_.front());
    idle_.pop_front();
    const TileRef leaving = oldest->second.tile;
    used_ -= oldest->second.bytes;
    entries_.erase(oldest);
    ++evictions_;
    evicted_(leaving);
  }
  entries_.emplace(key(tile), Entry{tile, bytes, 1, {}});
  used_ += bytes;
  pinned_grew(bytes);
  return true;
}

void DeviceMemory::unpin(TileRef tile) {
  Entry& entry = entries_.at(key(tile));
  assert(entry.pins > 0);
  if (--entry.pins > 0) return;
  pinned_ -= entry.bytes;
  entry.place = idle_.insert(idle_.end(), key(tile));
}

void DeviceMemory::drop(TileRef tile) {
  const auto found = entries_.find(key(tile));
  assert(found != entries_.end() && found->second.pins == 1);
  used_ -= found->second.bytes;
  pinned_ -= found->second.bytes;
  entries_.erase(found);
}

void DeviceMemory::forget(TileRef tile) {
  const auto found = entries_.find(key(tile));
  if (found == entries_.end()) return;
  assert(found->second.pins == 0);
  used_ -= found->second.bytes;
  idle_.erase(found->second.place);
  entries_.erase(found);
  evicted_(tile);
}

}  // namespace foretile
