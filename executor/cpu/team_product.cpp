// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/team_product.hpp"

namespace foretile {

namespace {

struct Range {
  std::int64_t first, size;
};

Range part_of(std::int64_t extent, int part, int parts) {
  const std::int64_t first = part * extent / parts;
  return {first, (part + 1) * extent / parts - first};
}

/// From row and column on.
TileView inside(TileView tile, std::int64_t row, std::int64_t column, std::int64_t element_bytes) {
  return {tile.data + (row + column * tile.ld) * element_bytes, tile.ld};
}

}  // namespace

void TeamProduct::multiply(int part) const {
  if (part >= parts.count()) return;
  const Range rows = part_of(size.m, part % parts.rows, parts.rows);
  const Range columns = part_of(size.n, part / parts.rows, parts.columns);
  const std::int64_t bytes = form.type.bytes();
  const TileView of_a =
      form.a == Op::none ? inside(a, rows.first, 0, bytes) : inside(a, 0, rows.first, bytes);
  const TileView of_b =
      form.b == Op::none ? inside(b, 0, columns.first, bytes) : inside(b, columns.first, 0, bytes);
  multiply_tiles(form, rows.size, columns.size, size.k, of_a, of_b,
                 inside(c, rows.first, columns.first, bytes), old);
}

}  // namespace foretile
