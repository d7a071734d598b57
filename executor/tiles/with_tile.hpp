// SPDX-License-Identifier: BSD-3-Clause
// A caller's tile to look at, in place or filled for the time.
#pragma once

#include "executor/tiles/tile_buffer.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "executor/tiles/tile_storage.hpp"

namespace foretile {

/// Calls visit(view): the tile where it is in place, else a copy that is valid during the call only.
template <class Visit>
void with_tile(const Contraction& p, const TileStorage& storage, TileRef tile, const Visit& visit) {
  if (const std::optional<TileView> view = storage.in_place(tile)) return visit(*view);
  const TileExtents extents = extents_of(p, tile);
  TileBuffer copy(extents.bytes());
  if (tile.matrix == Matrix::b && comes_where_used(p.sources.b)) {
    storage.fill_part({tile.id, 0, extents.rows * extents.columns}, copy.data());
  } else {
    storage.fill(tile, copy.data());
  }
  visit(copy.view(extents.rows));
}

}  // namespace foretile
