// SPDX-License-Identifier: BSD-3-Clause
// Cut points of an index range into tiles of any size.
#pragma once

#include <cstdint>
#include <vector>

namespace foretile {

/// Elements of a tile along one index: BLAS takes extents of 32 bits.
inline constexpr std::int64_t max_tile_extent = 2'147'483'647;

class Tiling {
 public:
  /// `cuts` starts with 0 and increases strictly; tile t is [cuts[t], cuts[t+1]), of at most
  /// `max_tile_extent` elements. Throws InputError otherwise.
  explicit Tiling(std::vector<std::int64_t> cuts);
  /// Tiles of these sizes in this order; each must be positive.
  static Tiling from_sizes(const std::vector<std::int64_t>& sizes);
  /// Tiles of `tile` elements, the last one smaller where `tile` does not divide `extent`.
  static Tiling uniform(std::int64_t extent, std::int64_t tile);

  std::int32_t tiles() const { return static_cast<std::int32_t>(cuts_.size()) - 1; }
  std::int64_t extent() const { return cuts_.back(); }
  std::int64_t begin(std::int32_t tile) const { return cuts_[tile]; }
  std::int64_t size(std::int32_t tile) const { return cuts_[tile + 1] - cuts_[tile]; }
  std::int64_t largest() const;
  const std::vector<std::int64_t>& cuts() const { return cuts_; }

 private:
  std::vector<std::int64_t> cuts_;
};

}  // namespace foretile
