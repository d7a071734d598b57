// Problem kind "tiles": tilings and shapes listed one by one, for tests and for patterns made elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/problem/contraction.hpp"

namespace foretile {

class TableReader;
struct MarketMatrix;

struct TilesParameters {
  std::vector<std::int64_t> m_tiles, n_tiles, k_tiles;  ///< tile sizes of each index
  std::vector<Shape::Entry> a, b;                       ///< nonzero tiles, counted from 0, with their norms
  std::optional<std::vector<Shape::Entry>> c;           ///< given shape of C; norms are ignored
  double c_threshold = 0;   ///< least product of two tiles' norms that makes a tile of C
  std::uint64_t seed = 1;   ///< of the numbers in the tiles
  bool accumulate = false;  ///< C += A B instead of C = A B
};

/// Keys: the members' names; a tile is [row, column] with norm 1, or [row, column, norm].
TilesParameters read_tiles(TableReader& table);
/// The text of a problem file.
std::string tiles_problem_toml(const TilesParameters& parameters);
Contraction tiles_contraction(const TilesParameters& parameters);

/// The problem of two sparse matrices cut into tiles of `tile` elements; a tile is nonzero when it holds an
/// entry. Throws InputError when A's columns are not B's rows.
TilesParameters tiles_of_matrices(const MarketMatrix& a, const MarketMatrix& b, std::int64_t tile);

}  // namespace foretile
