// SPDX-License-Identifier: BSD-3-Clause
// Fusing two clustered indices to one tiled matrix index.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/problem/kinds/screening.hpp"
#include "planner/problem/shape.hpp"
#include "planner/problem/tiling.hpp"

namespace foretile {

/// One tile of a fused index: the pairs with their first index in one cluster and their second in another.
struct PairTile {
  std::int32_t first, second;
  std::int64_t pairs;  ///< how many are kept, at least 1
};

/// All ordered pairs of clusters of these sizes, the second one fastest.
std::vector<PairTile> all_pairs(const std::vector<std::int64_t>& cluster_sizes);

/// Ordered pairs (i, j), i = j among them, with centres at most `cutoff` apart; cluster pairs without any are
/// left out. Each centre counts as one function.
std::vector<PairTile> pairs_within(const ClusteredCentres& orbitals, double cutoff);

/// Joins each tile of less than `least` pairs to a neighbour: the tile before or after it with the same first
/// cluster, the smaller of the two. The second cluster of the joined tile is a new one, added to
/// `orbitals.clusters`: the members of both that are in a pair with centres at most `cutoff` apart. Throws
/// InputError when a tile with less than `least` pairs has no such neighbour, or when a joined tile has more
/// than `most` pairs.
void join_small_tiles(std::vector<PairTile>& tiles, ClusteredCentres& orbitals, double cutoff,
                      std::int64_t least, std::int64_t most);

Tiling tiling_of(const std::vector<PairTile>& tiles);

/// Number of nonzero tiles that `fused_shape` would make; cheap.
std::int64_t fused_tiles(const std::vector<PairTile>& rows, const Links& links);

/// The shape of X[pq, rs] where a tile is nonzero when r's cluster is linked to p's and s's to q's. Columns
/// are `all_pairs` of the column clusters. The norm is the product of both magnitudes times the square root
/// of the number of elements.
Shape fused_shape(const std::vector<PairTile>& rows, const Links& links,
                  const std::vector<std::int64_t>& column_cluster_sizes);

}  // namespace foretile
