// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/combine_launches.hpp"

#include "executor/tiles/tile_indices.hpp"

namespace foretile {

namespace {

static_assert(kMostWorkIndices == static_cast<int>(kMostIndices));

/// The index of `to` that is the fastest of `from`, if a square of it and of index 0 is worth its turning.
int turned_index(const TileIndices& indices) {
  if (indices.of[0].stride == 1 || indices.of[0].extent < kLeastTurned) return 0;
  for (std::size_t d = 1; d < indices.count; ++d) {
    if (indices.of[d].stride == 1) return indices.of[d].extent < kLeastTurned ? 0 : static_cast<int>(d);
  }
  return 0;
}

CombineWork work_of(const TileToCombine& tile) {
  const TileIndices indices = tile_indices(tile.extents, tile.permutation);
  CombineWork work{tile.from,
                   tile.to,
                   tile.beta,
                   tile.factor,
                   indices.elements(),
                   0,
                   {},
                   {},
                   static_cast<int>(indices.count),
                   turned_index(indices)};
  for (std::size_t d = 0; d < indices.count; ++d) {
    work.extent[d] = indices.of[d].extent;
    work.stride[d] = indices.of[d].stride;
  }
  work.blocks = work_blocks(work);
  return work;
}

}  // namespace

std::vector<CombineLaunch> combine_launches(std::span<const TileToCombine> tiles) {
  std::vector<CombineLaunch> launches;
  for (const TileToCombine& tile : tiles) {
    const CombineWork work = work_of(tile);
    if (work.elements == 0) continue;
    if (launches.empty() || launches.back().count == kMostTilesInLaunch) launches.emplace_back();
    CombineLaunch& launch = launches.back();
    launch.tiles[launch.count++] = work;
  }
  return launches;
}

}  // namespace foretile
