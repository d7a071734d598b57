// What travels between ranks: tiles that one rank hands out, and parts of C's tiles on their way to a sum.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

enum class TransferKind : std::uint8_t {
  broadcast,  ///< from the owner to the other ranks
  parts       ///< parts of C's tiles, from one rank to the next of a sum's tree (planner/plan/sum.hpp)
};

/// The tree of ranks that a transfer follows. Position 0 is the owner, position n + 1 is Transfer::others[n].
enum class Tree : std::uint8_t {
  binomial,  ///< parent: the position without its highest bit; depth floor(log2(ranks))
  chain      ///< parent: the position before; depth ranks - 1
};

/// The positions whose parent is `position`, in the order in which they are served: the largest subtree
/// first.
std::vector<int> tree_children(Tree tree, int position, int size);

/// Requires position > 0.
int tree_parent(Tree tree, int position);

/// Tiles of one matrix and one owner (parts: of one sender) that travel together, as one message per edge of
/// the tree.
struct Transfer {
  std::vector<TileId> tiles;
  std::vector<Rank> others;  ///< ranks without the owner, in tree order
  Matrix matrix = Matrix::a;
  Step step = 0;           ///< first that uses the tiles; with Barriers::global they are not sent earlier
  Step last_step = kEver;  ///< last that uses the tiles; then the receivers drop them. kEver: at the end
  TransferKind kind = TransferKind::broadcast;
  Tree tree = Tree::binomial;
};

}  // namespace foretile
