// SPDX-License-Identifier: BSD-3-Clause
// The tiles that a run starts from, as the seed gives them.
#pragma once

#include <memory_resource>

#include "executor/tiles/heap_memory.hpp"
#include "executor/tiles/tile_buffer.hpp"
#include "planner/problem/generated_part.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Norm with which a tile is generated: the shape's, but at most what keeps every number finite: the largest
/// float, half of it in single precision. (The norm of C is a bound which may be infinite.)
double generated_norm(const Contraction& contraction, TileRef tile);

/// Writes a tile of A, of B or of the initial C; the same wherever it is made. A complex number is two
/// neighbouring real ones of generate_tile(). `to` has room for the tile's bytes.
void make_tile(const Contraction& contraction, TileRef tile, std::byte* to);

/// Writes these elements of a tile of B. `tile` has room for all of it.
void make_part_of_b(const Contraction& contraction, const GeneratedPart& part, std::byte* tile);

/// The same in memory of its own.
TileBuffer initial_tile(const Contraction& contraction, TileRef tile,
                        std::pmr::memory_resource* memory = heap_memory());

}  // namespace foretile
