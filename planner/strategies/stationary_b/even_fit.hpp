// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a rank's columns with which its devices take equal times. Ours, in place of RR-9365 3.2.2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/strategies/column_costs.hpp"

namespace foretile {

/// Places columns by non-increasing bytes (ties by position) into bins of `capacity` bytes. Bin b belongs to
/// device b mod devices, and all devices have the same number of bins: as many as the sum of bytes needs, and
/// with one more for each, all over again, when a column fits nowhere. Each column goes to the bin with room
/// where the device's time becomes least (ties: the first). That time is the larger of its copies and its
/// products; tiles of A are copied once for each bin that needs them, and counted as copied from the host.
///
/// `columns` are those of the rank, `bytes[c]` is for columns[c]. Every size must be <= capacity. Returns the
/// positions in `columns` of each bin. O(bins * rows of all columns) for each number of bins. Deterministic:
/// no function but + - * / and comparison.
std::vector<std::vector<std::int32_t>> even_fit(std::span<const std::int32_t> columns,
                                                std::span<const std::int64_t> bytes, std::int64_t capacity,
                                                int devices, const ColumnCosts& costs);

}  // namespace foretile
