// SPDX-License-Identifier: BSD-3-Clause
// Where tiles of the distributed matrices live and who else needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// The rank on which a tile lives.
inline Rank owner_of(const Contraction& contraction, const PlanFrame& frame, TileRef tile) {
  return owner_of(contraction, frame.grid, frame.operands.of(tile.matrix).distribution, tile);
}

/// Memory that the plan needs for a tile on the rank that owns it.
inline std::int64_t own_bytes_of(const Contraction& contraction, const PlanFrame& frame, TileRef tile) {
  return frame.operands.of(tile.matrix).is_in_place(tile.id) ? 0 : bytes_of(contraction, tile);
}

/// How often a tile is sent, and how long its receivers keep it.
enum class Sending : std::uint8_t {
  once_for_ever,  ///< before its first use; kept until the end
  once_each,      ///< the same, but ranks that use it first in a later group get it in a later message
  once,           ///< before its first use; dropped after its last one
  per_use         ///< again for each use, dropped after it ("communication-redundant", RR-9289 3.2.1)
};

/// How the tiles of one matrix reach the ranks that multiply them: those of A along the grid row, those of B
/// along the grid column. "Partners" are the tile columns of C for a tile of A, the tile rows of C for B.
struct Routes {
  Matrix matrix = Matrix::a;
  std::vector<int> position;  ///< grid column (A) or grid row (B) that computes with each partner
  std::vector<int> group;     ///< of each partner, from 0: partners used at the same step; empty: all in one
  /// A tile's uses: step first(tile) with group 0, and `stride` > 0 more with each further group. Empty: 0.
  std::function<Step(TileId)> first;
  int stride = 1;
  /// By tile: in which order an owner sends the tiles of a step and, with Sending::once_each, of a group.
  /// Empty: by increasing k.
  std::vector<std::int32_t> turn = {};
};

/// The messages with which `rank` hands out its tiles, distributed cyclically, ordered by step, turn
/// (k), and A before B. A tile goes only to ranks that multiply it. With Sending::per_use, uses at most
/// `lookahead` steps apart share one delivery to all their ranks, so that no tile arrives again where it may
/// still be. Consecutive tiles that differ in nothing else share a message of up to `message_bytes` (always
/// at least one tile). Destinations start behind the owner and wrap around, which spreads the inner nodes of
/// the trees; where the grid knows the ranks of a node, node follows node (ProcessGrid::ring_from()).
std::vector<Transfer> broadcasts_of(const Contraction& contraction, const ProcessGrid& grid, Rank rank,
                                    const std::vector<Routes>& routes, Sending sending, int lookahead,
                                    std::int64_t message_bytes);

/// Who computes a tile of C or, where several ranks compute parts of it, who adds them, by tile. Tiles
/// without a product are where a table of owners says, or distributed round-robin.
std::vector<Rank> owners_of_c(const Contraction& p, const Plan& plan);
/// By tile of C, of so many: whether one device of its owner computes all of it, so that nothing is added to
/// it.
std::vector<bool> stored_once(std::size_t tiles, const Plan& plan);

}  // namespace foretile
