// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/tile_storage.hpp"

#include "executor/tiles/initial_tile.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

std::int64_t bytes_in_place(const Contraction& contraction, Matrix matrix, std::span<const TileId> tiles,
                            const TileStorage& storage, bool without_gaps) {
  std::int64_t bytes = 0;
  for (const TileId id : tiles) {
    const TileExtents extents = extents_of(contraction, {matrix, id});
    const auto view = storage.in_place({matrix, id});
    if (view && (!without_gaps || extents.gapless(*view))) bytes += extents.bytes();
  }
  return bytes;
}

void SeededTiles::fill(TileRef tile, std::byte* to) const {
  make_tile(problem_, tile, to);
}

void SeededTiles::fill_part(const GeneratedPart& part, std::byte* tile) const {
  make_part_of_b(problem_, part, tile);
}

}  // namespace foretile
