// Shapes of sparse matrices from Matrix Market files.
#pragma once

#include <span>
#include <vector>

#include "base/matrix_files/matrix_market.hpp"
#include "planner/problem/shape.hpp"
#include "planner/problem/tiling.hpp"

namespace foretile {

/// The tiles that hold an entry, row by row, with their Frobenius norms. The tilings span the matrix.
std::vector<Shape::Entry> nonzero_tiles(std::span<const MatrixEntry> entries, const Tiling& rows,
                                        const Tiling& columns);

}  // namespace foretile
