// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/stored_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "base/matrix_files/matrix_sums.hpp"

namespace foretile {

namespace {

using Place = std::pair<std::int32_t, std::int32_t>;

std::int32_t tile_of(const Tiling& tiling, std::int64_t at) {
  const auto& cuts = tiling.cuts();
  return static_cast<std::int32_t>(std::upper_bound(cuts.begin(), cuts.end(), at) - cuts.begin() - 1);
}

/// The tiles that a stored tile of the file reaches into.
std::set<Place> reached_tiles(const MatrixFacts& facts, const Tiling& rows, const Tiling& columns) {
  const Tiling own_rows = Tiling::from_sizes(facts.row_tiles);
  const Tiling own_columns = Tiling::from_sizes(facts.column_tiles);
  std::set<Place> reached;
  for (const auto& [row, column] : facts.tiles) {
    const std::int32_t last_row = tile_of(rows, own_rows.begin(row + 1) - 1);
    const std::int32_t last_column = tile_of(columns, own_columns.begin(column + 1) - 1);
    for (std::int32_t i = tile_of(rows, own_rows.begin(row)); i <= last_row; ++i) {
      for (std::int32_t j = tile_of(columns, own_columns.begin(column)); j <= last_column; ++j)
        reached.emplace(i, j);
    }
  }
  return reached;
}

}  // namespace

float tile_norm(long double squares) {
  constexpr float most = 3e38F;
  const long double norm = std::sqrt(squares);
  return norm <= most ? static_cast<float>(norm) : most;
}

std::vector<Shape::Entry> nonzero_tiles(std::span<const MatrixEntry> entries, const Tiling& rows,
                                        const Tiling& columns) {
  std::map<Place, long double> squares;
  for (const auto& [row, column, value] : entries)
    squares[{tile_of(rows, row), tile_of(columns, column)}] += square_of(value);
  std::vector<Shape::Entry> tiles;
  for (const auto& [tile, square] : squares) tiles.push_back({tile.first, tile.second, tile_norm(square)});
  return tiles;
}

std::vector<Shape::Entry> stored_tiles(const MatrixReader& matrix, const Tiling& rows,
                                       const Tiling& columns) {
  if (matrix.facts().layout == MatrixLayout::coordinates)
    return nonzero_tiles(matrix.entries(), rows, columns);
  std::vector<Shape::Entry> tiles;
  for (const auto& [i, j] : reached_tiles(matrix.facts(), rows, columns)) {
    const MatrixSums sums =
        sums_of_rectangle(matrix, {rows.begin(i), columns.begin(j), rows.size(i), columns.size(j)});
    tiles.push_back({i, j, tile_norm(sums.squares)});
  }
  return tiles;
}

}  // namespace foretile
