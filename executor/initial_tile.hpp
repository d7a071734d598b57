// The tiles that a run starts from, as the seed gives them.
#pragma once

#include "executor/tile_buffer.hpp"
#include "planner/tile_ref.hpp"

namespace foretile {

/// Norm with which a tile is generated: the shape's. That of C is a bound which may be infinite; the largest
/// float stands for it.
double generated_norm(const Contraction& contraction, TileRef tile);

/// A tile of A, of B or of the initial C; the same wherever it is made.
TileBuffer initial_tile(const Contraction& contraction, TileRef tile);

}  // namespace foretile
