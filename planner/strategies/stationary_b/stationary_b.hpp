// SPDX-License-Identifier: BSD-3-Clause
// B stays, A streams: the algorithm of RR-9365 section 3.2. Only the blocks of a rank are ours, unless
// balance = bytes is set: the paper's fill one more block for one device where its neighbours have none to
// fill.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/problem/contraction.hpp"

namespace foretile {

// The steps of the algorithm, in the order in which they are used.

/// 3.2.1: flops of each column of B in the product, counting every row of A that meets a nonzero tile of B;
/// exact where C keeps all tiles, an upper bound otherwise. O(nnz of A and B), as in 3.2.4.
std::vector<double> column_flops(const Contraction& contraction);

/// 3.2.1: columns sorted by non-decreasing weight (ties by index) and dealt to q owners in mirrored cyclic
/// order: 0..q-1, q-1..0, 0..q-1, ... Returns the owner of each column.
std::vector<int> deal_mirrored(const std::vector<double>& weights, int q);

/// 3.2.2, with balance = bytes (else even_fit): places items by non-increasing size (ties by index) into bins
/// of `capacity`: each into the bin with the most space left (worst fit), or into a new bin when it fits
/// nowhere. Starts with `devices` empty bins; bin b belongs to device b mod devices. Every size must be <=
/// capacity. Returns the items of each bin.
std::vector<std::vector<std::int32_t>> worst_fit(const std::vector<std::int64_t>& sizes,
                                                 std::int64_t capacity, int devices);

}  // namespace foretile
