// SPDX-License-Identifier: BSD-3-Clause
// B stays, A streams: the algorithm of RR-9365 section 3.2. Only the blocks of a rank are ours, unless
// balance = bytes is set: the paper's fill one more block for one device where its neighbours have none to
// fill.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/problem/contraction.hpp"
#include "planner/strategies/b_stays/column_costs.hpp"

namespace foretile {

// The steps of the algorithm, in the order in which they are used.

/// 3.2.1: flops of each column of B in the product, counting every row of A that meets a nonzero tile of B;
/// exact where C keeps all tiles, an upper bound otherwise. O(nnz of A and B), as in 3.2.4.
std::vector<double> column_flops(const Contraction& contraction);

/// 3.2.1: columns sorted by non-decreasing weight (ties by index) and distributed to q owners in mirrored
/// cyclic order: 0..q-1, q-1..0, 0..q-1, ... Returns the owner of each column.
std::vector<int> distribute_mirrored(const std::vector<double>& weights, int q);

/// 3.2.2, with balance = bytes: places items by non-increasing size (ties by index) into bins
/// of `capacity`: each into the bin with the most space left (worst fit), or into a new bin when it fits
/// nowhere. Starts with `devices` empty bins; bin b belongs to device b mod devices. Every size must be <=
/// capacity. Returns the items of each bin.
std::vector<std::vector<std::int32_t>> worst_fit(const std::vector<std::int64_t>& sizes,
                                                 std::int64_t capacity, int devices);

/// Ours, with balance = time: blocks of a rank's columns with which its devices take equal times. Places
/// columns by non-increasing bytes (ties by position) into bins of `capacity` bytes. Bin b belongs to device
/// b mod devices, and all devices have the same number of bins: as many as the sum of bytes needs, and with
/// one more for each, all over again, when a column fits nowhere. Each column goes to the bin with room where
/// the device's time becomes least (ties: the first). That time is the larger of its copies and its products;
/// tiles of A are copied once for each bin that needs them, and counted as copied from the host.
///
/// `columns` are those of the rank, `bytes[c]` is for columns[c]. Every size must be <= capacity. Returns the
/// positions in `columns` of each bin. O(bins * rows of all columns) for each number of bins. Deterministic:
/// no function but + - * / and comparison.
std::vector<std::vector<std::int32_t>> even_fit(std::span<const std::int32_t> columns,
                                                std::span<const std::int64_t> bytes, std::int64_t capacity,
                                                int devices, const ColumnCosts& costs);

}  // namespace foretile
