// SPDX-License-Identifier: BSD-3-Clause
// Tuples of tiles, one of each of several indices: blocks of tensors, rows and columns of fused matrices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/tensor/labelled_tiles.hpp"
#include "planner/tensor/tensor_term.hpp"

namespace foretile {

/// A tile of each index.
using TileTuple = std::vector<std::int32_t>;
/// The tiles that each index has.
using TileRanges = std::vector<const LabelledTiles*>;

TileRanges ranges_of(const IndexList& spaces, const std::vector<LabelledTiles>& tiles);

/// All tuples that do not decrease along each group of positions, in lexicographic order; one empty tuple
/// without indices. Throws InputError where there may be more than max_tiles
/// (planner/problem/limits.hpp); `what` is named.
std::vector<TileTuple> ordered_tuples(const TileRanges& ranges, const std::vector<IndexList>& groups,
                                      const std::string& what);

/// Sorts tuples along a Z-order curve: of neighbours in the list all tiles are near each other, so that a
/// part of the list is about a cube. Source: Morton, A computer oriented geodetic data base, IBM 1966.
void sort_by_nearness(std::vector<TileTuple>& tuples);

/// The tuple with position p taken from mirror[p].
TileTuple mirrored(const TileTuple& tuple, const std::vector<std::size_t>& mirror);

/// Of a tuple and its mirror image the lesser one; all are without a mirror.
bool is_in_order(const TileTuple& tuple, const std::vector<std::size_t>& mirror);

/// The product of the tiles' extents; 1 without any.
std::int64_t elements_of(const TileTuple& tuple, const TileRanges& ranges);

/// Whether a block may be nonzero: as many of its first `upper` tiles are beta as of the others (where all
/// have spins), and the product of their irreps is totally symmetric.
bool is_allowed(const TileTuple& tuple, const TileRanges& ranges, std::size_t upper);

/// Whether all tiles are beta, and there is one.
bool is_beta_alone(const TileTuple& tuple, const TileRanges& ranges);

}  // namespace foretile
