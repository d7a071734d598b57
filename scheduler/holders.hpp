// Which devices of a rank have a streaming tile.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "scheduler/backend.hpp"

namespace foretile {

/// At most kMostDevices devices.
class Holders {
 public:
  static constexpr std::size_t kMostDevices = 64;

  /// A device that has the tile, near `device` if there is one; kHost when none has, and nothing when one is
  /// loading it. `sockets` of the devices.
  std::optional<MemoryPlace> source(TileRef tile, int device, const std::vector<int>& sockets) const;

  /// `arrival_s`: when it is expected.
  void load_started(TileRef tile, double arrival_s);
  /// Earliest expected arrival of the loads under way; there must be one.
  double expected_s(TileRef tile) const { return entries_.at(tile).expected_s; }
  void load_ended(TileRef tile, int device);
  void left(TileRef tile, int device);

 private:
  struct Entry {
    std::uint64_t devices = 0;  // as bits
    int coming = 0;             // loads under way
    double expected_s = 0;      // first of their arrivals
  };
  std::unordered_map<TileRef, Entry, TileRefHash> entries_;
};

}  // namespace foretile
