#include "executor/arena.hpp"

#include <cassert>
#include <iterator>

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

void Arena::remove_hole(std::map<std::int64_t, std::int64_t>::iterator hole) {
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

std::vector<Arena::Move> Arena::compact() {
  std::vector<Move> moves;
  std::map<std::int64_t, std::int64_t> packed;
  std::int64_t end = 0;
  for (const auto& [offset, bytes] : places_) {
    if (offset != end) moves.push_back({offset, end, bytes});
    packed.emplace_hint(packed.end(), end, bytes);
    end += bytes;
  }
  places_ = std::move(packed);
  holes_.clear();
  by_size_.clear();
  if (end < size_) add_hole(end, size_ - end);
  return moves;
}

}  // namespace foretile
