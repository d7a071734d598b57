// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/tile_ref.hpp"

namespace foretile {

double bytes_of_all(const Contraction& p, Matrix matrix) {
  const Shape& shape = shape_of(p, matrix);
  if (shape.nonzeros() == TileId{shape.rows()} * shape.columns()) {
    const Tiling& rows = matrix == Matrix::b ? p.k : p.m;
    const Tiling& columns = matrix == Matrix::a ? p.k : p.n;
    return static_cast<double>(rows.extent()) * static_cast<double>(columns.extent()) *
           static_cast<double>(p.element_bytes());
  }
  double bytes = 0;
  for (TileId id = 0; id < shape.nonzeros(); ++id) bytes += static_cast<double>(bytes_of(p, {matrix, id}));
  return bytes;
}

}  // namespace foretile
