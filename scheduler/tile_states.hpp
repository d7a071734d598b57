// One record for each tile that streams through a rank: which devices have it, how many are loading it.
#pragma once

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

/// A tile on one device. The records of a device's idle tiles form a list in order of last use.
struct Residence {
  static constexpr std::int32_t kAbsent = -1;
  std::int32_t pins = kAbsent;  ///< 0: idle, may be evicted
  TileSlot older = kNoSlot, younger = kNoSlot;
};

/// Dense: a look-up reads an index (4 bytes for 8 neighbouring tiles), then the record. Records are made in
/// pages of 8 tiles when a tile is used first, and stay: 32 bytes a tile, and 12 for each device.
class TileStates {
 public:
  /// At most this many, if tiles are to be copied between them.
  static constexpr std::size_t kMostDevices = 64;

  explicit TileStates(std::size_t devices) : devices_(devices) {}

  /// The record of a tile of so many bytes, made if there is none.
  TileSlot slot(TileRef tile, std::int64_t bytes);
  std::int64_t bytes(TileSlot slot) const { return shared_[slot].bytes; }
  TileRef tile(TileSlot slot) const {
    const Page& page = pages_[static_cast<std::size_t>(slot) / kTiles];
    return {page.matrix, page.first + slot % kTiles};
  }
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
  void left(TileSlot slot, Device device) { shared_[slot].devices &= ~(1ULL << device); }

 private:
  static constexpr int kTiles = 8;  // of a page
  struct Page {
    Matrix matrix;
    TileId first;
  };
  /// What is the same for all devices.
  struct Shared {
    std::int64_t bytes = 0;
    std::uint64_t devices = 0;  // on which it has arrived, as bits
    double expected_s = 0;      // first arrival of the loads under way
    std::int32_t coming = 0;    // loads under way
  };

  std::size_t devices_;
  std::array<std::vector<std::int32_t>, 3> page_of_;  // by matrix, per kTiles tiles; -1: none
  std::vector<Page> pages_;
  std::vector<Shared> shared_;         // by slot
  std::vector<Residence> residences_;  // by slot, then device
};

}  // namespace foretile
