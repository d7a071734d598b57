// SPDX-License-Identifier: BSD-3-Clause
// How much of the cache's gain a core has on a tile that it used before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "planner/problem/tile_ref.hpp"
#include "platforms/device_model.hpp"

namespace foretile {

/// Tiles in the order of their last use. Distances of reuse are told apart in steps of sqrt(2), or not at all
/// where the gain is the same.
class CoreCache {
 public:
  /// `share`: the part of `cache` that this core has, 1 unless cores are shared. Nothing is kept where its
  /// bytes are 0.
  explicit CoreCache(const CacheModel& cache, double share = 1);
  CoreCache(const CoreCache&) = delete;  // levels refer to the list
  CoreCache& operator=(const CoreCache&) = delete;

  /// Uses a tile. Returns the share of the gain that is left since its last use, 0 for the first one.
  double use(TileRef tile, std::int64_t bytes);

 private:
  struct Entry {
    TileRef tile;
    std::int64_t bytes;
    std::size_t level;
  };
  using Place = std::list<Entry>::iterator;
  /// The tiles used last, of `limit` bytes at most, that are not on the levels below.
  struct Level {
    std::int64_t limit;
    double kept;             // of the gain
    std::int64_t bytes = 0;  // on it and on those below
    Place end = {};          // the newest tile above it
  };

  void bring_forward(Place tile, std::size_t from);
  void push_out();

  std::vector<Level> levels_;
  std::list<Entry> newest_first_;
  std::unordered_map<TileRef, Place, TileRefHash> places_;
};

}  // namespace foretile
