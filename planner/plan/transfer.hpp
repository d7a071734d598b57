// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What travels between ranks: tiles that one rank hands out, and parts of C's tiles on their way to a sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Why tiles travel.
enum class TransferKind : std::uint8_t {
  broadcast,  ///< from the owner to the other ranks
  parts,      ///< parts of C's tiles, from one rank to the next of a sum's tree (planner/plan/sum.hpp)
  result      ///< a finished tile of C or of a tensor, from its owner to a rank with tasks that read it
              ///< (planner/plan/flow.hpp)
};

/// The tree of ranks that a transfer follows. Position 0 is the owner, position n + 1 is Transfer::others[n].
enum class Tree : std::uint8_t {
  binomial,  ///< parent: the position without its highest bit; depth floor(log2(ranks))
  chain,     ///< parent: the position before; depth ranks - 1
  /// Binomial among the first positions of each node, and from those inside the nodes: it enters each node
  /// once where the positions of a node follow each other.
  by_node,
  /// The same, but the first node sends to the second alone, from which the others have it by a binomial
  /// tree. With another second node for each message, no node sends all of them many times. So the messages
  /// of an owner are the pieces of a broadcast by scatter and allgather (van de Geijn; Chan et al.,
  /// "Collective communication: theory, practice, and experience", 2007, 7.2).
  scatter
};

/// Whether the tree knows which ranks share a node.
constexpr bool knows_nodes(Tree tree) {
  return tree == Tree::by_node || tree == Tree::scatter;
}

/// The positions whose parent is `position`, in the order in which they are served: the largest subtree
/// first.
std::vector<int> tree_children(Tree tree, int position, int size);

/// Requires position > 0.
int tree_parent(Tree tree, int position);

/// The same of a tree that knows nodes; `starts`: the first position of each node, increasing, the first one
/// 0.
std::vector<int> children_by_node(Tree tree, std::span<const int> starts, int position, int size);
/// The parent of `position` in such a tree; requires position > 0.
int parent_by_node(Tree tree, std::span<const int> starts, int position);

/// The positions whose rank is on another node than the one before.
std::vector<int> node_starts(std::span<const Rank> ranks, int ranks_of_node);

/// Tiles of one matrix and one owner (parts: of one sender) that travel together, as one message per edge of
/// the tree.
struct Transfer {
  std::vector<TileId> tiles;  ///< in the order in which they are in the message
  std::vector<Rank> others;   ///< ranks without the owner, in tree order
  Matrix matrix = Matrix::a;  ///< of the tiles
  Step step = 0;              ///< first that uses the tiles; with Barriers::global they are not sent earlier
  Step last_step = kEver;     ///< last that uses the tiles; then the receivers drop them. kEver: at the end
  TransferKind kind = TransferKind::broadcast;  ///< why they travel
  Tree tree = Tree::binomial;                   ///< from rank to rank
  int ranks_of_node = 1;  ///< consecutive ranks that share a node, where the tree knows nodes
};

/// Of a tree that knows nodes: ranks of the owner's node come first, so that it is entered once where its
/// ranks are first and last in turn. By Tree::scatter the other nodes begin with the one numbered `turn`,
/// modulo their number: another turn for each message makes another node the second. Returns whether it did.
bool order_by_node(Transfer& transfer, Rank owner, std::size_t turn);

/// The positions to which the rank at `position` sends a transfer of `owner`, in the order in which they are
/// served.
std::vector<int> children_of(const Transfer& transfer, Rank owner, int position);

}  // namespace foretile
