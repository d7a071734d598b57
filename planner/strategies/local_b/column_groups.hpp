// SPDX-License-Identifier: BSD-3-Clause
// Groups of columns that need the same tiles of A, grown column by column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/strategies/column_costs.hpp"

namespace foretile {

/// Deals `columns` (increasing) to `groups` lists, in growing order. A group begins with the column that has
/// the least weight in rows that no group has yet. Then it takes, again and again, the column that brings the
/// least weight in rows that are new to the group, until it has its share of the load that is left. Ties: the
/// lower number. `row_weight` is by row, `load` by column. O(columns^2 + groups * rows in all columns).
std::vector<std::vector<std::int32_t>> grow_groups(const ColumnRows& rows,
                                                   std::span<const std::int32_t> columns,
                                                   std::span<const double> row_weight,
                                                   std::span<const double> load, int groups);

}  // namespace foretile
