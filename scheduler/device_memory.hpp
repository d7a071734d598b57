// SPDX-License-Identifier: BSD-3-Clause
// What is on one device: tiles that stay with the block, and streaming ones, pinned while they are in use
// and kept afterwards while there is room.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "scheduler/tile_states.hpp"

namespace foretile {

/// Bytes on a device never exceed the budget. Streaming tiles that are no longer pinned are idle: they stay,
/// least recently used first to go; they are clean (inputs), so leaving costs nothing.
class DeviceMemory {
 public:
  using Evicted = std::function<void(TileRef)>;

  /// `tiles` must outlive this object.
  DeviceMemory(TileStates& tiles, std::size_t device, std::int64_t budget_bytes, Evicted evicted)
      : tiles_(&tiles), device_(device), budget_(budget_bytes), evicted_(std::move(evicted)) {}

  // ---- tiles that stay: who takes the bytes knows the tile ----

  /// Makes room and takes it; false, and nothing changed, when pinned tiles leave too little.
  bool take(std::int64_t bytes);
  /// Whether some take() or reserve() failed since the last call.
  bool was_full() { return std::exchange(was_full_, false); }
  void give_back(std::int64_t bytes);

  // ---- streaming tiles ----

  bool holds(TileSlot tile) const { return !at(tile).absent(); }
  /// Pins a tile that is here; false when it is not.
  bool pin_if_present(TileSlot tile);
  /// As take(), and enters the tile, pinned once. The tile must not be here.
  bool reserve(TileSlot tile);
  /// One pin less; at none the tile may be evicted. The tile must be pinned.
  void unpin(TileSlot tile);
  /// Evicts the tile if it is here; it must not be pinned. Counts as no eviction.
  void forget(TileSlot tile);

  std::int64_t pinned_bytes() const { return pinned_; }
  std::int64_t used_bytes() const { return used_; }
  std::int64_t peak_bytes() const { return peak_; }  ///< of pinned tiles and those that stay
  std::int64_t evictions() const { return evictions_; }

 private:
  Residence& at(TileSlot tile) const { return tiles_->on(device_, tile); }
  void pinned_grew(std::int64_t bytes);
  void enter_idle(TileSlot tile);
  void leave_idle(const Residence& tile);
  void evict(TileSlot tile);

  TileStates* tiles_;
  std::size_t device_;
  std::int64_t budget_;
  Evicted evicted_;
  TileSlot oldest_ = kNoSlot, youngest_ = kNoSlot;  // of the idle tiles
  std::int64_t used_ = 0;
  std::int64_t pinned_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t evictions_ = 0;
  bool was_full_ = false;
};

}  // namespace foretile
