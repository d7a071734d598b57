// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Problem kind "tiles": tilings and shapes listed one by one, for tests and for patterns made elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/problem/contraction.hpp"

namespace foretile {

class TableReader;
struct MarketMatrix;

/// Sizes and nonzero tiles, one by one.
struct TilesParameters {
  std::vector<std::int64_t> m_tiles,           ///< rows of the tile rows of C, in elements
      n_tiles,                                 ///< columns of its tile columns
      k_tiles;                                 ///< tiles of the inner index
  std::vector<Shape::Entry> a,                 ///< nonzero tiles of A, counted from 0, with their norms
      b;                                       ///< the same of B
  std::optional<std::vector<Shape::Entry>> c;  ///< given shape of C; norms are ignored
  double c_threshold = 0;                      ///< least product of two tiles' norms that makes a tile of C
  std::uint64_t seed = 1;                      ///< of the numbers in the tiles
  bool accumulate = false;                     ///< C += A B instead of C = A B
};

/// The tiles at `key`, for matrices of so many tile rows and columns: [row, column] or [row, column, norm].
std::vector<Shape::Entry> read_tile_list(TableReader& table, std::string_view key, std::int64_t rows,
                                         std::int64_t columns);
/// The lines of such a key.
std::string tile_list_toml(std::string_view key, const std::vector<Shape::Entry>& tiles);
/// A shape of such a list. Throws InputError that names the key.
Shape shape_of_list(std::string_view key, const Tiling& rows, const Tiling& columns,
                    const std::vector<Shape::Entry>& tiles);

/// Keys: the members' names; a tile is [row, column] with norm 1, or [row, column, norm].
TilesParameters read_tiles(TableReader& table);
/// The text of a problem file.
std::string tiles_problem_toml(const TilesParameters& parameters);
/// C = A B, or C += A B, of these tiles. Throws InputError for sizes that are not positive and for tiles that
/// are outside or appear twice.
Contraction tiles_contraction(const TilesParameters& parameters);

/// The problem of two sparse matrices cut into tiles of `tile` elements; a tile is nonzero when it holds an
/// entry. Throws InputError when A's columns are not B's rows.
TilesParameters tiles_of_matrices(const MarketMatrix& a, const MarketMatrix& b, std::int64_t tile);

}  // namespace foretile
