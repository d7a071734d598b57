// SPDX-License-Identifier: BSD-3-Clause
// One record for each streaming tile that devices of a rank hold: which of them, how many are loading it.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Number of a tile's record in a TileStates; the tile keeps it.
using TileSlot = std::int32_t;
inline constexpr TileSlot kNoSlot = -1;

/// A tile on one device: absent, pinned so many times, or idle: it may be evicted. A device's idle tiles form
/// a list in order of last use.
class Residence {
 public:
  bool absent() const { return younger_ == kAbsent; }
  bool idle() const { return younger_ >= kNoSlot; }
  std::int32_t pins() const { return younger_ == kPinned ? older_ : 0; }
  TileSlot older() const { return older_; }      ///< of an idle tile; kNoSlot: none is older
  TileSlot younger() const { return younger_; }  ///< the same

  void make_absent() { younger_ = kAbsent; }
  void make_pinned(std::int32_t pins) { younger_ = kPinned, older_ = pins; }
  void make_idle(TileSlot older, TileSlot younger) { younger_ = younger, older_ = older; }

 private:
  static constexpr TileSlot kAbsent = kNoSlot - 1,
                            kPinned = kNoSlot - 2;  // there are as many as tiles: 8 bytes
  TileSlot younger_ = kAbsent;
  std::int32_t older_ = 0;  // pins of a pinned tile
};

/// Memory grows with the tiles that are held at once, not with those of the matrices: of 20,000 ranks each
/// has a few of millions. A record takes 40 bytes, 8 for each device, and 24 to 96 of the table that finds
/// it. It is free for another tile once the last device has left its own.
class TileStates {
 public:
  /// At most this many, if tiles are to be copied between them.
  static constexpr std::size_t kMostDevices = 64;

  explicit TileStates(std::size_t devices) : devices_(devices) {}

  /// The record of a tile of so many bytes, made if there is none. Valid until left() frees it.
  TileSlot slot(TileRef tile, std::int64_t bytes);
  /// kNoSlot if there is none.
  TileSlot find(TileRef tile) const;
  std::int64_t bytes(TileSlot slot) const { return shared_[slot].bytes; }
  TileRef tile(TileSlot slot) const { return {shared_[slot].matrix, shared_[slot].id}; }
  Residence& on(std::size_t device, TileSlot slot) {
    return residences_[static_cast<std::size_t>(slot) * devices_ + device];
  }

  /// A device other than `device` that has the tile, one of `near` (as bits) if there is any; kHost when none
  /// has it, and nothing when one is loading it.
  std::optional<MemoryPlace> source(TileSlot slot, Device device, std::uint64_t near) const;
  /// `arrival_s`: when it is expected.
  void load_started(TileSlot slot, double arrival_s);
  /// Earliest expected arrival of the loads under way; there must be one.
  double expected_s(TileSlot slot) const { return shared_[slot].expected_s; }
  void load_ended(TileSlot slot, Device device);

  /// A device holds the tile from here, loaded or not, to left().
  void entered(TileSlot slot) { ++shared_[slot].holders; }
  void left(TileSlot slot, Device device);

 private:
  /// What is the same for all devices.
  struct Shared {
    TileId id = 0;
    std::int64_t bytes = 0;
    std::uint64_t devices = 0;  // on which it has arrived, as bits
    double expected_s = 0;      // first arrival of the loads under way
    std::int32_t holders = 0;   // devices that hold it, or will when it has come
    std::int16_t coming = 0;    // loads under way
    Matrix matrix = Matrix::a;
  };

  std::size_t devices_;
  std::array<tsl::robin_map<TileId, TileSlot, TileIdHash>, 3> slot_of_;  // by matrix
  std::vector<Shared> shared_;                                           // by slot
  std::vector<Residence> residences_;                                    // by slot, then device
  std::vector<TileSlot> free_;
};

}  // namespace foretile
