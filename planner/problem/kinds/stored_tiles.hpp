// SPDX-License-Identifier: BSD-3-Clause
// Which tiles of a matrix in a file are nonzero, and their norms.
#pragma once

#include <span>
#include <vector>

#include "base/matrix_files/matrix_reader.hpp"
#include "planner/problem/shape.hpp"
#include "planner/problem/tiling.hpp"

namespace foretile {

/// The norm of a tile whose absolute values have this sum of squares. What is no number or too large becomes
/// 3e38, so that such a tile is never taken for a zero one.
float tile_norm(long double squares);

/// The tiles that hold an entry, row by row, with their Frobenius norms. The tilings span the matrix.
std::vector<Shape::Entry> nonzero_tiles(std::span<const MatrixEntry> entries, const Tiling& rows,
                                        const Tiling& columns);

/// The tiles in which a sparse matrix stores elements, row by row, with their Frobenius norms. The tilings
/// span the matrix and need not be those of the file. Reads all stored elements.
std::vector<Shape::Entry> stored_tiles(const MatrixReader& matrix, const Tiling& rows, const Tiling& columns);

}  // namespace foretile
