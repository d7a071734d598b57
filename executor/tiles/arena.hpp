// SPDX-License-Identifier: BSD-3-Clause
// Places in one piece of memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace foretile {

/// Hands out offsets in a piece of memory, best fit: the smallest hole that is large enough. Knows nothing of
/// the memory itself. Times are logarithmic in the number of places.
class Arena {
 public:
  /// All places start at multiples of this, and their sizes are rounded up to it.
  static constexpr std::int64_t kAlignment = 256;
  static std::int64_t rounded(std::int64_t bytes);

  /// Of a hole that is too large, which end is used. Giving what stays long the one and what comes and goes
  /// the other keeps holes large.
  enum class End { low, high };

  /// `bytes` is rounded down to the alignment.
  explicit Arena(std::int64_t bytes = 0);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// The offset; nothing when no hole is large enough.
  std::optional<std::int64_t> take(std::int64_t bytes, End end = End::low);
  /// Requires an offset that `take` or `compact` gave and that was not given back since.
  void give(std::int64_t offset);

  std::int64_t free_bytes() const { return free_; }
  std::int64_t size() const { return size_; }

  /// A place that goes from one offset to a lower one; both may overlap.
  struct Move {
    std::int64_t from = 0, to = 0, bytes = 0;
  };
  /// Slides neighbouring places down until there is a hole of `bytes`, moving as few bytes as that takes. The
  /// moves in the order in which they must be done. Requires bytes <= free_bytes() when rounded.
  std::vector<Move> compact(std::int64_t bytes);

 private:
  void add_hole(std::int64_t offset, std::int64_t bytes);
  void remove_hole(std::pmr::map<std::int64_t, std::int64_t>::iterator hole);
  using Holes = std::pair<std::int64_t, std::int64_t>;  // offsets of a first and a last one
  Holes cheapest_to_join(std::int64_t bytes) const;

  std::int64_t size_ = 0;
  std::int64_t free_ = 0;
  /// Of the entries below, which come and go with each place.
  std::unique_ptr<std::pmr::memory_resource> memory_ =
      std::make_unique<std::pmr::unsynchronized_pool_resource>();
  std::pmr::map<std::int64_t, std::int64_t> places_{memory_.get()};              // offset to size
  std::pmr::map<std::int64_t, std::int64_t> holes_{memory_.get()};               // offset to size
  std::pmr::set<std::pair<std::int64_t, std::int64_t>> by_size_{memory_.get()};  // size and offset of holes
};

}  // namespace foretile
