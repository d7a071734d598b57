// SPDX-License-Identifier: BSD-3-Clause
// Which tiles a core still has in its part of the last cache.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Least recently used tiles leave first; a tile larger than all of it is never kept.
class CoreCache {
 public:
  explicit CoreCache(std::int64_t bytes) : free_(bytes) {}

  /// Uses a tile; true when it was here already.
  bool use(TileRef tile, std::int64_t bytes);

 private:
  struct Entry {
    TileRef tile;
    std::int64_t bytes;
  };
  std::int64_t free_;
  std::list<Entry> newest_first_;
  std::unordered_map<TileRef, std::list<Entry>::iterator, TileRefHash> places_;
};

}  // namespace foretile
