// SPDX-License-Identifier: BSD-3-Clause
// Where the tiles of B are, asked in the ways in which products at their owners need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/plan/distribution.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

class OwnersOfB {
 public:
  /// The contraction must outlive this object. O(nonzeros of B).
  OwnersOfB(const Contraction& contraction, const ProcessGrid& grid, const Distribution& distribution);

  /// Ids of the tiles of B that the rank owns, increasing.
  std::span<const TileId> tiles_of(Rank rank) const;
  /// Tile rows of B of which the rank owns a tile, increasing.
  const std::vector<std::int32_t>& rows_of(Rank rank) const {
    return rows_of_[static_cast<std::size_t>(rank)];
  }
  /// Ranks that multiply tile (i, k) of A, increasing: those with a tile of B in row k that meets a kept tile
  /// of C. O(columns).
  std::vector<Rank> with_product_of(std::int32_t i, std::int32_t k) const;
  /// Ranks that own a tile of B in column j, in the order of their first k: those that compute a part of C_ij
  /// where row i of A is full.
  const std::vector<Rank>& with_tile_in(std::int32_t j) const {
    return ranks_of_column_[static_cast<std::size_t>(j)];
  }
  /// Ranks that compute a part of C_ij, in the same order. O(rows of B x ranks of the column), with a
  /// contiguous B O(rows of B).
  std::vector<Rank> with_part_of(std::int32_t i, std::int32_t j) const;

 private:
  const Contraction& problem_;
  std::vector<Rank> owner_;                         // of each tile
  std::vector<TileId> tiles_;                       // rank by rank
  std::vector<std::size_t> first_;                  // of each rank, in tiles_
  std::vector<std::vector<std::int32_t>> rows_of_;  // by rank
  std::vector<std::vector<Rank>> ranks_of_column_;  // by column
};

}  // namespace foretile
