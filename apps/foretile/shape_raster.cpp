// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/shape_raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretile {

namespace {

constexpr double most_decades = 12;

// Which cell of `cells` a tile falls into; cells are never more than tiles.
std::int32_t cell_of(std::int32_t tile, std::int32_t tiles, std::int32_t cells) {
  return static_cast<std::int32_t>(std::int64_t{tile} * cells / tiles);
}

// How many tiles fall into each cell.
std::vector<std::int32_t> tiles_per_cell(std::int32_t tiles, std::int32_t cells) {
  std::vector<std::int32_t> count(static_cast<std::size_t>(cells), 0);
  for (std::int32_t tile = 0; tile < tiles; ++tile) ++count[cell_of(tile, tiles, cells)];
  return count;
}

}  // namespace

double NormScale::operator()(double norm) const {
  if (flat) return flat_strength;
  if (!(norm > 0)) return 0;
  return std::clamp(1 + std::log10(norm / largest) / decades, 0.0, 1.0);
}

NormScale norm_scale(const Shape& shape) {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (TileId id = 0; id < shape.nonzeros(); ++id) {
    const double norm = shape.norm(id);
    if (!(norm > 0) || !std::isfinite(norm)) continue;
    smallest = std::min(smallest, norm);
    largest = std::max(largest, norm);
  }
  if (largest == 0 || largest < 1.001 * smallest) return {.largest = 1, .decades = 1, .flat = true};
  const double decades = std::clamp(std::ceil(std::log10(largest / smallest)), 1.0, most_decades);
  return {.largest = largest, .decades = decades, .flat = false};
}

Raster rasterize(const Shape& shape, const NormScale& scale, std::int32_t max_height,
                 std::int32_t max_width) {
  Raster raster{std::min(max_width, shape.columns()), std::min(max_height, shape.rows()), {}};
  raster.cells.resize(static_cast<std::size_t>(raster.width) * static_cast<std::size_t>(raster.height));
  for (TileId id = 0; id < shape.nonzeros(); ++id) {
    const std::int32_t row = cell_of(shape.row_of(id), shape.rows(), raster.height);
    const std::int32_t column = cell_of(shape.column_of(id), shape.columns(), raster.width);
    Cell& cell = raster.cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(raster.width) +
                              static_cast<std::size_t>(column)];
    cell.strength = std::max(cell.strength, static_cast<float>(scale(shape.norm(id))));
    cell.coverage += 1;
  }
  const std::vector<std::int32_t> rows = tiles_per_cell(shape.rows(), raster.height);
  const std::vector<std::int32_t> columns = tiles_per_cell(shape.columns(), raster.width);
  std::size_t at = 0;
  for (const std::int32_t in_row : rows) {
    for (const std::int32_t in_column : columns) {
      raster.cells[at++].coverage /= static_cast<float>(in_row) * static_cast<float>(in_column);
    }
  }
  return raster;
}

}  // namespace foretile
