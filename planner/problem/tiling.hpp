// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cut points of an index range into tiles of any size.
#pragma once

#include <cstdint>
#include <vector>

namespace foretile {

/// Elements of a tile along one index: BLAS takes extents of 32 bits.
inline constexpr std::int64_t max_tile_extent = 2'147'483'647;

/// Cut points of one index. Immutable.
class Tiling {
 public:
  /// `cuts` starts with 0 and increases strictly; tile t is [cuts[t], cuts[t+1]), of at most
  /// `max_tile_extent` elements. Throws InputError otherwise.
  explicit Tiling(std::vector<std::int64_t> cuts);
  /// Tiles of these sizes in this order; each must be positive.
  static Tiling from_sizes(const std::vector<std::int64_t>& sizes);
  /// Tiles of `tile` elements, the last one smaller where `tile` does not divide `extent`.
  static Tiling uniform(std::int64_t extent, std::int64_t tile);

  /// Number of tiles.
  std::int32_t tiles() const { return static_cast<std::int32_t>(cuts_.size()) - 1; }
  /// Elements of all tiles.
  std::int64_t extent() const { return cuts_.back(); }
  /// First element of a tile, from 0.
  std::int64_t begin(std::int32_t tile) const { return cuts_[tile]; }
  /// Elements of a tile.
  std::int64_t size(std::int32_t tile) const { return cuts_[tile + 1] - cuts_[tile]; }
  /// Elements of the largest tile; 0 without tiles.
  std::int64_t largest() const;
  /// All cut points: 0, then the end of each tile.
  const std::vector<std::int64_t>& cuts() const { return cuts_; }

 private:
  std::vector<std::int64_t> cuts_;
};

}  // namespace foretile
