// SPDX-License-Identifier: BSD-3-Clause
// The indices of a tile and of the tile with permuted indices that is added to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace foretile {

/// Indices of a tile, at most.
inline constexpr std::size_t kMostIndices = 8;

/// One index of both tiles: its extent, and how far apart its neighbours are in `from`, in elements.
struct TileIndex {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
};

/// Of `to`, the fastest first. Those of extent 1 are left out, and neighbours that are neighbours in `from`,
/// too, are one index. At least one: a tile without elements has one of extent 0.
struct TileIndices {
  std::array<TileIndex, kMostIndices> of{};
  std::size_t count = 1;

  std::int64_t elements() const;
};

/// extents[d] is that of index d of `to`, which is index permutation[d] of `from`; the first index runs
/// fastest, and there are no gaps. An empty permutation leaves them as they are. Throws InputError for a
/// negative extent, for what is no permutation of the extents, and for more than kMostIndices of them with
/// one.
TileIndices tile_indices(std::span<const std::int64_t> extents, std::span<const int> permutation);

}  // namespace foretile
