// SPDX-License-Identifier: BSD-3-Clause
// Which columns of C a rank can work on together where products go to the owners of B.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/problem/shape.hpp"

namespace foretile {

/// Columns and rows of B (tile rows k) such that the rank owns each nonzero tile of B in them.
struct ColumnFamily {
  std::vector<std::int32_t> columns;  ///< increasing
  std::vector<std::int32_t> rows;     ///< increasing; the rank owns a tile of each
};

/// Families in which each tile of `owned` (ids, increasing) is once. A column joins the first family that it
/// agrees with. So tiles distributed cyclically make one family, and consecutive tiles of rows at most four:
/// those columns that have the first and the last row, one of them, or none. A table may make one for each
/// column.
std::vector<ColumnFamily> column_families(const Shape& b, std::span<const TileId> owned);

}  // namespace foretile
