// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How the parts of C's tiles, computed on several devices and ranks, are brought together.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "planner/plan/transfer.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Parts of C's tiles on their way to the tiles' owner along a tree of ranks, as one rank of the tree sees
/// it. The rank adds the parts of its own devices (see additions()), to this sum those that come from each
/// rank of `from`, one after the other in this order, and sends the result to `to`. So every addition has two
/// operands, and results repeat bit for bit whatever arrives first. The owner's result becomes
/// C = beta C + alpha sum. All ranks of a tree list the same tiles in the same order.
struct Sum {
  std::vector<TileId> tiles;    ///< of C
  std::vector<Device> devices;  ///< of the rank, increasing: each has computed a part of each of the tiles
  std::vector<Rank> from;       ///< ranks that send a sum, in the order of their additions
  std::optional<Rank> to = {};  ///< nothing: the rank owns the tiles
};

/// The message with which a rank sends the result of a sum to Sum::to, which must be there. It goes out
/// before all broadcasts, since it frees memory.
Transfer parts_message(const Sum& sum);

/// In which order `parts` numbered parts are added: the second of each pair to the first. All end in part 0.
/// Chain: (0, 1), (0, 2), ... Binomial: neighbours, then every second one, then every fourth: (0, 1), (2, 3),
/// (0, 2).
std::vector<std::pair<int, int>> additions(Tree tree, int parts);

}  // namespace foretile
