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

  void load_started(TileRef tile) { ++entries_[tile].coming; }
  void load_ended(TileRef tile, int device);
  void left(TileRef tile, int device);

 private:
  struct Entry {
    std::uint64_t devices = 0;  // as bits
    int coming = 0;             // loads under way
  };
  std::unordered_map<TileRef, Entry, TileRefHash> entries_;
};

}  // namespace foretile
