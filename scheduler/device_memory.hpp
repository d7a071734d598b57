// What lies on one device: pinned tiles are in use, the rest is kept while there is room.
#pragma once

#include <cstdint>
#include <functional>
#include <list>

#include "planner/tile_table.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Bytes on a device never exceed the budget. Tiles that are no longer pinned stay, least recently used first
/// to go; they are clean (inputs), so leaving costs nothing.
class DeviceMemory {
 public:
  using Evicted = std::function<void(TileRef)>;

  DeviceMemory(std::int64_t budget_bytes, Evicted evicted)
      : budget_(budget_bytes), evicted_(std::move(evicted)) {}

  /// Pins a tile that is here; false when it is not.
  bool pin_if_present(TileRef tile);
  /// Makes room and enters the tile, pinned once; false, and nothing changed, when pinned tiles leave too
  /// little room. The tile must not be here.
  bool reserve(TileRef tile, std::int64_t bytes);
  /// One pin less; at none the tile may be evicted. The tile must be pinned.
  void unpin(TileRef tile);
  /// Removes a pinned tile at once.
  void drop(TileRef tile);
  /// Evicts the tile if it is here; it must not be pinned. Counts as no eviction.
  void forget(TileRef tile);

  bool holds(TileRef tile) const { return entries_.contains(tile); }
  std::int64_t pinned_bytes() const { return pinned_; }
  std::int64_t used_bytes() const { return used_; }
  std::int64_t peak_bytes() const { return peak_; }  ///< of pinned tiles
  std::int64_t evictions() const { return evictions_; }

 private:
  struct Entry {
    std::int64_t bytes = 0;
    int pins = 0;
    std::list<TileRef>::iterator place;  // in idle_ when pins == 0
  };
  void pinned_grew(std::int64_t bytes);

  std::int64_t budget_;
  Evicted evicted_;
  TileTable<Entry> entries_;
  std::list<TileRef> idle_;   // least recently used first
  std::list<TileRef> spare_;  // nodes for idle_
  std::int64_t used_ = 0;
  std::int64_t pinned_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t evictions_ = 0;
};

}  // namespace foretile
