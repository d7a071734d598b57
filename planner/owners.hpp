// Where tiles of the distributed matrices live and who else needs them.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/contraction.hpp"
#include "planner/plan.hpp"

namespace foretile {

/// 2D-cyclic: tile (i, j) of a matrix lives at grid row i mod p, column j mod q (RR-9365 3.2, RR-9289 2).
inline int owner_of(const Contraction& contraction, const ProcessGrid& grid, TileRef tile) {
  const Shape& shape = shape_of(contraction, tile.matrix);
  return grid.rank(shape.row_of(tile.id) % grid.p, shape.column_of(tile.id) % grid.q);
}

/// The messages with which `rank` hands out its tiles of A, by increasing k. A tile goes only to the ranks of
/// the grid row that multiply it; consecutive tiles with the same destinations share a message of up to
/// `message_bytes` (always at least one tile). `column_owner` is the grid column of each column of B.
/// Destinations start behind the owner and wrap around, which spreads the inner nodes of the trees.
std::vector<Broadcast> broadcasts_of_a(const Contraction& contraction, const ProcessGrid& grid,
                                       const std::vector<int>& column_owner, int rank,
                                       std::int64_t message_bytes);

/// Binomial tree over the owner (position 0) and destination d (position d + 1): the positions to which
/// `position` forwards, largest subtree first. Position x > 0 receives from x without its highest bit.
std::vector<int> tree_children(int position, int size);

}  // namespace foretile
