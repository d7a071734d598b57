// SPDX-License-Identifier: BSD-3-Clause
// Tiles of C that no product reaches.
#pragma once

#include <vector>

#include "executor/tiles/tile_buffer.hpp"
#include "executor/tiles/tile_storage.hpp"
#include "executor/tiles/tile_view.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// Of these tiles of C, those to which no product contributes.
std::vector<TileId> without_product(const Contraction& p, const std::vector<TileId>& tiles);

/// What such a tile becomes, without gaps, of the C in `tiles`.
TileBuffer untouched_tile(const Contraction& p, TileId tile, const TileStorage& tiles);

/// A tile of C becomes beta C, or 0 where C is not read.
void scale_initial(const Contraction& p, const TileExtents& extents, TileView tile);

}  // namespace foretile
