// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/tile_origins.hpp"

#include "planner/plan/owners.hpp"

namespace foretile {

namespace {

/// All tiles but the last have one size, and the last is not larger.
bool uniform(const Tiling& tiling) {
  const std::int64_t first = tiling.size(0);
  for (std::int32_t t = 1; t + 1 < tiling.tiles(); ++t) {
    if (tiling.size(t) != first) return false;
  }
  return tiling.size(tiling.tiles() - 1) <= first;
}

std::size_t index(Matrix matrix) {
  return static_cast<std::size_t>(matrix);
}

}  // namespace

TileOrigins::TileOrigins(const Contraction& contraction, const PlanFrame& frame)
    : contraction_(&contraction), frame_(&frame) {
  const bool m = uniform(contraction.m);
  const bool n = uniform(contraction.n);
  const bool k = uniform(contraction.k);
  in_array_[index(Matrix::a)] = m && k;
  in_array_[index(Matrix::b)] = k && n;
  in_array_[index(Matrix::c)] = m && n;
}

HostTile TileOrigins::of(Rank rank, TileRef tile) const {
  if (frame_->operands.of(tile.matrix).generated()) return HostTile::generated;
  if (tile.matrix != Matrix::c && owner_of(*contraction_, *frame_, tile) != rank) return HostTile::received;
  return in_array_[index(tile.matrix)] ? HostTile::array : HostTile::single;
}

}  // namespace foretile
