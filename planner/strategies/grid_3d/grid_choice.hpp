// SPDX-License-Identifier: BSD-3-Clause
// Which process grid, and which ranks of it share a node.
#pragma once

#include <optional>

#include "planner/plan/grid.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// What a grid moves and how long that takes, by extents, tile counts and densities. A B that is generated
/// does not travel: each rank makes what it multiplies.
struct GridCost {
  double received_bytes = 0;  ///< of A, and of B where it is given, by a rank with most tiles
  double summed_bytes = 0;    ///< parts of C that a rank sends, on average
  double owned_bytes = 0;     ///< by a rank with most tiles
  double held_bytes = 0;      ///< by it: these, its parts of C, and as many that come
  /// Products, with the making of B, or the bytes received, what takes longer; then the sums.
  double seconds = 0;
};
GridCost grid_cost(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid);

/// Of all grids with at most machine.ranks ranks, and no more along an axis than there are tiles, among those
/// that take at most 2% longer than the shortest by grid_cost() the one that moves least. It may leave ranks
/// out. Grids whose ranks hold more than the host memory, or more than their own tiles and
/// `replication_bytes` beside them, are not considered while there are others. Time: about n log(n)^2 for n
/// ranks.
ProcessGrid choose_grid(const Contraction& contraction, const Machine& machine,
                        std::optional<std::int64_t> replication_bytes = {});

/// The same choice as RR-9289's dense and even problems have it: rows of a grid of one layer whose q is
/// floor(ranks / p), which may leave ranks without work. The busiest device multiplies, or its rank receives,
/// what takes longer.
int choose_rows(const Contraction& contraction, const Machine& machine);

/// Bytes between nodes when every tile of A goes to all ranks of its fibre along q, of B, where it is given,
/// along p, and sums of C come along r, each in a chain that enters a node once: V = sum_i W_i (p_i / m_i -
/// 1) with W_i the bytes of the matrix that travels along axis i ("Node-aware grids" paper, eq. 2), m_i the
/// ranks of a node along it. In natural order p_i / m_i is how many nodes a fibre along i touches, on
/// average.
double bytes_between_nodes(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid);

/// How many nodes a fibre along the axis touches, on average.
double nodes_of_fibre(const ProcessGrid& grid, const Machine& machine, Axis axis);

/// Calls visit(ProcessGrid) for each grid of exactly so many ranks.
template <class Visit>
void for_each_full_grid(int ranks, const Visit& visit) {
  for (int p = 1; p <= ranks; ++p) {
    if (ranks % p != 0) continue;
    for (int q = 1; q <= ranks / p; ++q) {
      if (ranks / p % q == 0) visit(ProcessGrid{p, q, ranks / p / q});
    }
  }
}

/// Calls visit(ProcessGrid) for `grid` with each way to cut it into nodes.
template <class Visit>
void for_each_order(ProcessGrid grid, int ranks_of_node, const Visit& visit) {
  for_each_full_grid(ranks_of_node, [&](const ProcessGrid& node) {
    if (grid.p % node.p != 0 || grid.q % node.q != 0 || grid.r % node.r != 0) return;
    grid.node = AlongAxes{{node.p, node.q, node.r}};
    visit(grid);
  });
}

/// ProcessGrid::node with the least bytes_between_nodes(); nothing where no way to cut the grid into nodes
/// moves less than the natural order. Exhaustive. For a library that multiplies `passes` parts of M, N and K
/// one after the other: A travels for each part of N, B for each of M, and sums come for each of K.
std::optional<AlongAxes> choose_node(const Contraction& contraction, const Machine& machine,
                                     const ProcessGrid& grid, const AlongAxes& passes = {{1, 1, 1}});

}  // namespace foretile
