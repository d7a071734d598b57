// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/core_cache.hpp"

namespace foretile {

bool CoreCache::use(TileRef tile, std::int64_t bytes) {
  if (const auto found = places_.find(tile); found != places_.end()) {
    newest_first_.splice(newest_first_.begin(), newest_first_, found->second);
    return true;
  }
  free_ -= bytes;
  newest_first_.push_front({tile, bytes});
  places_[tile] = newest_first_.begin();
  while (free_ < 0) {
    const Entry& oldest = newest_first_.back();
    free_ += oldest.bytes;
    places_.erase(oldest.tile);
    newest_first_.pop_back();
  }
  return false;
}

}  // namespace foretile
