// The p x q x r arrangement of ranks, and where its ranks lie in the nodes.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace foretile {

/// Ranks of a node along each axis of the grid.
using NodeShape = std::array<int, 3>;

/// Tile rows of C are dealt along axis p, tile columns along q, and the inner dimension along r (a layer
/// holds partial sums of C). Ranks from p * q * r on have no work (RR-9365 3.2: q = floor(P / p)).
///
/// Machine numbers ranks node by node. In natural order (`node` empty) layer follows layer, row follows row:
/// rank = (layer * p + row) * q + column. With `node` = {x, y, z} the grid is cut into bricks of x * y * z
/// ranks, meant to be one node each (whoever makes the grid knows the ranks of a node): bricks follow each
/// other in natural order, and so do the ranks within a brick.
struct ProcessGrid {
  int p = 1;
  int q = 1;
  int r = 1;
  std::optional<NodeShape> node = {};  ///< each figure divides the grid's along its axis

  int size() const { return p * q * r; }
  int row(int rank) const { return node ? place_in_nodes(rank)[0] : rank / q % p; }
  int column(int rank) const { return node ? place_in_nodes(rank)[1] : rank % q; }
  int layer(int rank) const { return node ? place_in_nodes(rank)[2] : rank / (p * q); }
  int rank(int row, int column, int layer = 0) const {
    return node ? rank_in_nodes({row, column, layer}) : (layer * p + row) * q + column;
  }

 private:
  std::array<int, 3> place_in_nodes(int rank) const;
  int rank_in_nodes(std::array<int, 3> place) const;
};

/// "1 rank has no work"; empty when none is idle.
std::string idle_ranks_text(int idle);

}  // namespace foretile
