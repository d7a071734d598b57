// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which rank the tiles of an operand live on.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/grid.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Rules that give each tile an owner.
enum class DistributionKind : std::uint8_t {
  cyclic,      ///< over the axes of the grid: see cyclic_owner()
  contiguous,  ///< in the order of tile ids (row by row), each rank as many tiles as the others, or one more
  table        ///< rank by rank in `owners`
};

/// Which rank owns which tile of a matrix.
struct Distribution {
  DistributionKind kind = DistributionKind::cyclic;  ///< the rule
  std::vector<Rank> owners = {};  ///< of each tile, by id; for DistributionKind::table only

  /// Same rule and same table.
  friend bool operator==(const Distribution&, const Distribution&) = default;
};

/// Position (row, column, layer) in a grid p x q x r that owns tile (row, column) of the matrix:
///   A_ik: (i mod p, (k div r) mod q, k mod r)
///   B_kj: ((k div r) mod p, j mod q, k mod r)
///   C_ij: (i mod p, j mod q, (i div p + j div q + i mod p + j mod q) mod r)
/// With r = 1 that is the 2D-cyclic distribution (RR-9365 3.2, RR-9289 2). A and B of layer l have the k with
/// k mod r = l, which layer l multiplies; C, whose parts are on all layers, is owned by all of them alike,
/// both the tiles at one place of the grid and those of many places.
inline Rank cyclic_owner(const ProcessGrid& grid, Matrix matrix, std::int32_t row, std::int32_t column) {
  const auto [p, q, r] = std::array{grid.p, grid.q, grid.r};
  switch (matrix) {
    case Matrix::a:
      return grid.rank(row % p, column / r % q, column % r);
    case Matrix::b:
      return grid.rank(row / r % p, column % q, row % r);
    case Matrix::c:
    case Matrix::t:  // has owners in a table
      break;
  }
  return grid.rank(row % p, column % q, (row / p + column / q + row % p + column % q) % r);
}

/// The axis of the grid along which tiles of A or B travel: those of A along a grid row, of B along a column.
constexpr Axis travels_along(Matrix matrix) {
  return matrix == Matrix::a ? Axis::q : Axis::p;
}

/// Calls visit(tile, k) for each tile of A or B that cyclic_owner() gives to the rank, by increasing k.
template <class Visit>
void for_each_cyclically_owned(const Contraction& contraction, const ProcessGrid& grid, Matrix matrix,
                               Rank rank, const Visit& visit) {
  const Shape& shape = shape_of(contraction, matrix);
  const Axis along = travels_along(matrix);
  const Axis across = along == Axis::q ? Axis::p : Axis::q;
  const std::int32_t first = grid.position(rank, along) * grid.r + grid.layer(rank);
  for (std::int32_t k = first; k < contraction.k.tiles(); k += grid.ranks_along(along) * grid.r) {
    const auto others = matrix == Matrix::a ? shape.column(k) : shape.row(k);
    for (std::size_t e = 0; e < others.size(); ++e) {
      if (others[e] % grid.ranks_along(across) != grid.position(rank, across)) continue;
      visit(matrix == Matrix::a ? shape.column_ids(k)[e] : shape.first(k) + static_cast<TileId>(e), k);
    }
  }
}

/// Of `tiles` tiles distributed contiguously to `ranks`: the first tiles mod ranks of them have one more.
Rank contiguous_owner(TileId tile, TileId tiles, int ranks);

/// The rank of the grid that owns the tile.
inline Rank owner_of(const Contraction& contraction, const ProcessGrid& grid,
                     const Distribution& distribution, TileRef tile) {
  const Shape& shape = shape_of(contraction, tile.matrix);
  if (distribution.kind == DistributionKind::cyclic)
    return cyclic_owner(grid, tile.matrix, shape.row_of(tile.id), shape.column_of(tile.id));
  if (distribution.kind == DistributionKind::table)
    return distribution.owners[static_cast<std::size_t>(tile.id)];
  return contiguous_owner(tile.id, shape.nonzeros(), grid.size());
}

}  // namespace foretile
