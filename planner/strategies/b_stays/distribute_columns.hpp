// SPDX-License-Identifier: BSD-3-Clause
// Which device gets which columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/strategies/b_stays/column_costs.hpp"

namespace foretile {

/// Distributes `columns` (increasing) to `groups` lists, in growing order. A group begins with the column
/// that has the least weight in rows that no group has yet. Then it takes, again and again, the column that
/// brings the least weight in rows that are new to the group, until it has its share of the load that is
/// left. Ties: the lower number. `row_weight` is by row, `load` by column. O(columns^2 + groups * rows in all
/// columns).
std::vector<std::vector<std::int32_t>> grow_groups(const ColumnRows& rows,
                                                   std::span<const std::int32_t> columns,
                                                   std::span<const double> row_weight,
                                                   std::span<const double> load, int groups);

/// Each column's device, of ranks * devices_per_rank; device d belongs to rank d / devices_per_rank.
///
/// First the columns of ranks, and of each rank's devices, are grown (grow_groups). Then columns move, one
/// after the other, to the device where the sum over all devices of (c^4 + p^4 + g^4)^4 becomes least: with
/// the device's times for copies c and products p, and its rank's for generation g, that is close to the
/// largest of all times, and still tells where more than one of them is large. Tiles of A are loaded twice
/// where the columns need more than one block. Columns are not moved where that would take long, on thousands
/// of devices. Deterministic: no function but + - * / and comparison.
std::vector<std::int32_t> distribute_columns(const ColumnCosts& costs, int ranks, int devices_per_rank);

}  // namespace foretile
