// SPDX-License-Identifier: BSD-3-Clause
// How far a matrix in a file is from another one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix_files/matrix_reader.hpp"

namespace foretile {

struct TileDifference {
  MatrixRectangle place;
  double norm = 0;  ///< Frobenius, of the difference
};

/// Equal elements, also infinite ones, differ by 0. Any other difference with infinity or "not a number"
/// makes `norm` infinite or no number.
struct MatrixDifference {
  double norm = 0;                                   ///< Frobenius, of the difference
  double reference_norm = 0;                         ///< of the second matrix
  double relative = 0;                               ///< norm / reference_norm; 0 when both are 0
  std::int64_t not_finite = 0;                       ///< elements whose difference is infinite or no number
  double largest = 0;                                ///< greatest finite difference, by absolute value
  std::int64_t largest_row = 0, largest_column = 0;  ///< its place, counted from 0
  std::vector<TileDifference> worst;                 ///< tiles that differ, the largest difference first
};

/// Compares tile by tile; a tile has at most `tile` rows and columns, and two are in memory at a time. At
/// most `most` tiles are named. Throws InputError, which names both, for other extents or another element
/// type.
MatrixDifference compare_matrices(const MatrixPlace& name, const MatrixReader& matrix,
                                  const MatrixPlace& reference_name, const MatrixReader& reference,
                                  std::int64_t tile, std::size_t most);

}  // namespace foretile
