// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/arena.hpp"

#include <cassert>
#include <iterator>
#include <limits>

namespace foretile {

std::int64_t Arena::rounded(std::int64_t bytes) {
  const std::int64_t least = bytes > 0 ? bytes : 1;
  return (least + kAlignment - 1) / kAlignment * kAlignment;
}

Arena::Arena(std::int64_t bytes) : size_(bytes / kAlignment * kAlignment), free_(size_) {
  if (size_ > 0) add_hole(0, size_);
}

void Arena::add_hole(std::int64_t offset, std::int64_t bytes) {
  holes_.emplace(offset, bytes);
  by_size_.emplace(bytes, offset);
}

void Arena::remove_hole(std::pmr::map<std::int64_t, std::int64_t>::iterator hole) {
  by_size_.erase({hole->second, hole->first});
  holes_.erase(hole);
}

std::optional<std::int64_t> Arena::take(std::int64_t bytes, End end) {
  const std::int64_t size = rounded(bytes);
  const auto fit = by_size_.lower_bound({size, 0});
  if (fit == by_size_.end()) return std::nullopt;
  const auto [hole_bytes, hole] = *fit;
  remove_hole(holes_.find(hole));
  const std::int64_t rest = hole_bytes - size;
  const std::int64_t offset = end == End::low ? hole : hole + rest;
  if (rest > 0) add_hole(end == End::low ? hole + size : hole, rest);
  places_.emplace(offset, size);
  free_ -= size;
  return offset;
}

void Arena::give(std::int64_t offset) {
  const auto place = places_.find(offset);
  assert(place != places_.end());
  std::int64_t begin = offset;
  std::int64_t bytes = place->second;
  free_ += bytes;
  places_.erase(place);
  const auto next = holes_.lower_bound(begin);
  if (next != holes_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
      remove_hole(before);
    }
  }
  if (next != holes_.end() && next->first == offset + (bytes - (offset - begin))) {
    bytes += next->second;
    remove_hole(next);
  }
  add_hole(begin, bytes);
}

/// Of all runs of holes that are large enough together, the one with least between its holes.
Arena::Holes Arena::cheapest_to_join(std::int64_t bytes) const {
  Holes best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t free = 0;  // in the holes from `first` to `last`
  auto first = holes_.begin();
  for (auto last = holes_.begin(); last != holes_.end(); ++last) {
    free += last->second;
    for (; free - first->second >= bytes; ++first) free -= first->second;
    if (free < bytes) continue;
    const std::int64_t between = last->first + last->second - first->first - free;
    if (between >= least) continue;
    least = between;
    best = {first->first, last->first};
  }
  return best;
}

std::vector<Arena::Move> Arena::compact(std::int64_t bytes) {
  const std::int64_t size = rounded(bytes);
  assert(size <= free_);
  const auto [first, last] = cheapest_to_join(size);
  std::vector<Move> moves;
  std::int64_t end = first;
  for (auto place = places_.lower_bound(first); place != places_.end() && place->first < last;) {
    const auto [offset, length] = *place;
    moves.push_back({offset, end, length});
    place = places_.erase(place);
    places_.emplace_hint(place, end, length);
    end += length;
  }
  const std::int64_t behind = last + holes_.at(last);
  for (auto hole = holes_.find(first); hole != holes_.end() && hole->first <= last;) remove_hole(hole++);
  add_hole(end, behind - end);
  return moves;
}

}  // namespace foretile
