// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/core_cache.hpp"

#include <cmath>
#include <iterator>

namespace foretile {

CoreCache::CoreCache(const CacheModel& cache, double share) {
  constexpr int kSteps = 13;  // of sqrt(2): all of kReuseDistances
  const double first = kReuseDistances.front() / 100.0;
  const auto add = [&](double distance, double kept) {
    const double bytes = static_cast<double>(cache.bytes);
    const Level level{static_cast<std::int64_t>(distance * bytes * share), kept, 0, newest_first_.end()};
    if (!levels_.empty() && levels_.back().kept == kept)
      levels_.back().limit = level.limit;
    else if (kept > 0)
      levels_.push_back(level);
  };
  if (cache.bytes == 0) return;
  if (!cache.kept_known()) add(1, 1);
  for (int i = 0; i < kSteps && cache.kept_known(); ++i) {
    const double distance = first * std::pow(2, 0.5 * i);
    const double within = i == 0 ? distance : distance * std::pow(2, -0.25);  // the middle of the step
    add(distance, cache.kept_after(within * static_cast<double>(cache.bytes)));
  }
}

/// To the front, from level `from`, which with those above has counted it before.
void CoreCache::bring_forward(Place tile, std::size_t from) {
  for (std::size_t i = 0; i < from; ++i) {
    if (levels_[i].end == tile) ++levels_[i].end;
    levels_[i].bytes += tile->bytes;
  }
  newest_first_.splice(newest_first_.begin(), newest_first_, tile);
  tile->level = 0;
}

/// The oldest ones of each level to the next while there are too many, off the last one out.
void CoreCache::push_out() {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    while (level.bytes > level.limit) {
      --level.end;
      level.bytes -= level.end->bytes;
      level.end->level = i + 1;
    }
  }
  const Place out = levels_.back().end;
  for (Level& level : levels_) {
    if (level.end != newest_first_.end() && level.end->level == levels_.size())
      level.end = newest_first_.end();
  }
  for (Place tile = out; tile != newest_first_.end(); tile = newest_first_.erase(tile))
    places_.erase(tile->tile);
}

double CoreCache::use(TileRef tile, std::int64_t bytes) {
  if (levels_.empty()) return 0;
  double kept = 0;
  if (const auto found = places_.find(tile); found != places_.end()) {
    const std::size_t level = found->second->level;
    kept = levels_[level].kept;
    bring_forward(found->second, level);
  } else {
    newest_first_.push_front({tile, bytes, 0});
    places_[tile] = newest_first_.begin();
    for (Level& level : levels_) level.bytes += bytes;
  }
  push_out();
  return kept;
}

}  // namespace foretile
