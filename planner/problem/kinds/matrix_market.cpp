#include "planner/problem/kinds/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace foretile {

std::vector<Shape::Entry> nonzero_tiles(std::span<const MatrixEntry> entries, const Tiling& rows,
                                        const Tiling& columns) {
  const auto tile_of = [](const Tiling& tiling, std::int64_t at) {
    const auto& cuts = tiling.cuts();
    return static_cast<std::int32_t>(std::upper_bound(cuts.begin(), cuts.end(), at) - cuts.begin() - 1);
  };
  std::map<std::pair<std::int32_t, std::int32_t>, double> squares;
  for (const auto& [row, column, value] : entries)
    squares[{tile_of(rows, row), tile_of(columns, column)}] += std::norm(value);
  std::vector<Shape::Entry> tiles;
  for (const auto& [tile, square] : squares) {
    tiles.push_back({tile.first, tile.second, static_cast<float>(std::sqrt(square))});
  }
  return tiles;
}

}  // namespace foretile
