// SPDX-License-Identifier: BSD-3-Clause
// What a problem may ask for, so that a slip in a file ends in a message and not in a machine out of memory.
#pragma once

#include <cstdint>

#include "base/limits.hpp"  // max_extent
#include "planner/problem/contraction.hpp"
#include "planner/problem/shape.hpp"

namespace foretile {

/// Bytes of the nonzero tiles of one matrix: what ranks send and keep of several still fits 64 bits.
inline constexpr std::int64_t max_matrix_bytes = std::int64_t{1} << 60;
/// Nonzero or candidate tiles of one matrix; C65H132's largest matrix has fewer than a million.
inline constexpr std::int64_t max_tiles = 20'000'000;
/// Products A_ik B_kj, each of which planner and simulator look at: 500 times those of C65H132.
inline constexpr std::int64_t max_products = 1'000'000'000;
/// Clusters of one index; their pairs stay below `max_tiles`.
inline constexpr std::int64_t max_clusters = 4'000;
/// TOML integers have 63 bits and a sign.
inline constexpr std::int64_t max_seed = INT64_MAX;

/// Throws InputError when M, N or K has more than `max_extent` elements.
void check_extent(double elements);
/// Throws InputError when a matrix of `rows` x `columns` tiles has more than `max_tiles`.
void check_tile_count(std::int64_t rows, std::int64_t columns);
/// Throws InputError when A and B have more than `max_products` products; linear in the number of k tiles.
void check_product_count(const Shape& a, const Shape& b);
/// Throws InputError when A, B or C has more than `max_matrix_bytes`. O(nonzero tiles).
void check_bytes(const Contraction& contraction);

}  // namespace foretile
