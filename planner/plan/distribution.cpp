// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/distribution.hpp"

namespace foretile {

Rank contiguous_owner(TileId tile, TileId tiles, int ranks) {
  const TileId least = tiles / ranks;
  const TileId with_more = tiles % ranks;
  const TileId theirs = with_more * (least + 1);
  return Rank::of(tile < theirs ? tile / (least + 1) : with_more + (tile - theirs) / least);
}

}  // namespace foretile
