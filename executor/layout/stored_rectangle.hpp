// Where tiles are in the matrices that a program or a file has.
#pragma once

#include <utility>

#include "executor/layout/layout.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Where the tile is in its matrix as that is stored: transposed where the operation is not Op::none.
inline MatrixRectangle stored_rectangle(const Contraction& p, TileRef tile) {
  const Shape& shape = shape_of(p, tile.matrix);
  const Tiling& rows = tile.matrix == Matrix::b ? p.k : p.m;
  const Tiling& columns = tile.matrix == Matrix::a ? p.k : p.n;
  MatrixRectangle where{rows.begin(shape.row_of(tile.id)), columns.begin(shape.column_of(tile.id)),
                        rows.size(shape.row_of(tile.id)), columns.size(shape.column_of(tile.id))};
  const Op op = tile.matrix == Matrix::a ? p.a_op : tile.matrix == Matrix::b ? p.b_op : Op::none;
  if (op == Op::none) return where;
  std::swap(where.row, where.column);
  std::swap(where.rows, where.columns);
  return where;
}

}  // namespace foretile
