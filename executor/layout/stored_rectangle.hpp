// SPDX-License-Identifier: BSD-3-Clause
// Where tiles are in the matrices that a program or a file has.
#pragma once

#include "executor/layout/layout.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Where the tile is in its matrix as that is stored: transposed where the operation is not Op::none, and C
/// where the contraction is.
inline MatrixRectangle stored_rectangle(const Contraction& p, TileRef tile) {
  const Shape& shape = shape_of(p, tile.matrix);
  const Tiling& rows = tile.matrix == Matrix::b ? p.k : p.m;
  const Tiling& columns = tile.matrix == Matrix::a ? p.k : p.n;
  const MatrixRectangle where{rows.begin(shape.row_of(tile.id)), columns.begin(shape.column_of(tile.id)),
                              rows.size(shape.row_of(tile.id)), columns.size(shape.column_of(tile.id))};
  const Op op = tile.matrix == Matrix::a ? p.a_op : tile.matrix == Matrix::b ? p.b_op : Op::none;
  if (op == Op::none && !(tile.matrix == Matrix::c && p.is_transposed)) return where;
  return transposed(where);
}

}  // namespace foretile
