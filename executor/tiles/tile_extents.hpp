// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where tiles are in memory, and how large they are there.
#pragma once

#include "executor/tiles/tile_view.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// As the tile is in memory: one of A or B is transposed where its operation is not Op::none; one of a
/// tensor is a column.
inline TileExtents extents_of(const Contraction& p, TileRef tile) {
  const auto as_in_memory = [&](Op op, std::int64_t rows, std::int64_t columns) {
    return op == Op::none ? TileExtents{rows, columns, p.element_bytes()}
                          : TileExtents{columns, rows, p.element_bytes()};
  };
  if (tile.matrix == Matrix::a)
    return as_in_memory(p.op_of_a(tile.id), p.m.size(p.a.row_of(tile.id)), p.k.size(p.a.column_of(tile.id)));
  if (tile.matrix == Matrix::b)
    return as_in_memory(p.op_of_b(tile.id), p.k.size(p.b.row_of(tile.id)), p.n.size(p.b.column_of(tile.id)));
  if (tile.matrix == Matrix::t)
    return {p.t_elements[static_cast<std::size_t>(tile.id)], 1, p.element_bytes()};
  return {p.m.size(p.c.row_of(tile.id)), p.n.size(p.c.column_of(tile.id)), p.element_bytes()};
}

}  // namespace foretile
