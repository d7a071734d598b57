// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tiles distributed by a table: any tilings, any rank for each tile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "executor/layout/layout.hpp"
#include "planner/problem/tiling.hpp"

namespace foretile {

/// Where a tile is stored in the memory of its rank.
struct TilePlace {
  std::int64_t at = 0;  ///< as MatrixPart
  std::int64_t ld = 1;  ///< distance between neighbouring columns, in elements
};

/// A matrix of tiles, each whole on one rank.
class OwnerTable final : public Layout {
 public:
  /// Tile (i, j) is on rank owners[i + j * row_tiles.tiles()], at places[...] of the same index if that is
  /// this rank; other ranks' places are not read. Throws InputError for lists of other lengths or an ld that
  /// is less than the tile's rows.
  OwnerTable(Tiling row_tiles, Tiling column_tiles, std::vector<Rank> owners, std::vector<TilePlace> places,
             Rank self);

  /// Rows of the matrix, in elements.
  std::int64_t rows() const override { return row_tiles_.extent(); }
  /// Columns of the matrix, in elements.
  std::int64_t columns() const override { return column_tiles_.extent(); }
  void for_each_part(const MatrixRectangle& of,
                     const std::function<void(const MatrixPart&)>& visit) const override;
  std::string text() const override;
  bool is_of(Rank self) const override { return self == self_; }

 private:
  Tiling row_tiles_, column_tiles_;
  std::vector<Rank> owners_;
  std::vector<TilePlace> places_;  // of other ranks: 0
  Rank self_;
};

}  // namespace foretile
