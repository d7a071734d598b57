// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A part of a matrix.
#pragma once

#include <cstdint>

namespace foretile {

/// Elements [row, row + rows) x [column, column + columns) of a matrix, counted from 0.
struct MatrixRectangle {
  std::int64_t row = 0,  ///< first row
      column = 0,        ///< first column
      rows = 0,          ///< number of rows
      columns = 0;       ///< number of columns

  /// Whether it has no elements.
  bool empty() const { return rows == 0 || columns == 0; }
  /// All four numbers are equal.
  friend bool operator==(const MatrixRectangle&, const MatrixRectangle&) = default;
};

/// Where the elements are in the transpose of the matrix.
constexpr MatrixRectangle transposed(const MatrixRectangle& r) {
  return {r.column, r.row, r.columns, r.rows};
}

}  // namespace foretile
