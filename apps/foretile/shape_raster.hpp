// SPDX-License-Identifier: BSD-3-Clause
// A shape as a grid of cells for drawing; no graphics library needed.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/problem/shape.hpp"

namespace foretile {

/// Norms on a logarithmic scale: the largest is 1, `decades` below it is 0.
struct NormScale {
  static constexpr double flat_strength = 0.7;

  double largest = 1;
  double decades = 1;  ///< between 0 and 1 on the scale
  bool flat = false;   ///< all norms are about the same: every tile has flat_strength

  /// In [0, 1].
  double operator()(double norm) const;
};

/// The scale of one matrix: whole decades from its smallest positive norm to its largest, 1 to 12 of them.
NormScale norm_scale(const Shape& shape);

/// What one cell of a picture shows. Many tiles may share a cell, or one tile may cover many cells.
struct Cell {
  float strength = 0;  ///< of the strongest nonzero tile, on the NormScale
  float coverage = 0;  ///< nonzero tiles over all tiles of the cell; 0: nothing is there
};

struct Raster {
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::vector<Cell> cells;  ///< row by row

  const Cell& at(std::int32_t row, std::int32_t column) const {
    return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(column)];
  }
};

/// Draws a shape into at most max_height x max_width cells: one tile per cell where it fits, else several
/// tiles per cell, none of them lost. Requires positive sizes.
Raster rasterize(const Shape& shape, const NormScale& scale, std::int32_t max_height, std::int32_t max_width);

}  // namespace foretile
