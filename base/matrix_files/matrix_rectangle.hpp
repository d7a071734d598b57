// SPDX-License-Identifier: BSD-3-Clause
// A part of a matrix.
#pragma once

#include <cstdint>

namespace foretile {

/// Elements [row, row + rows) x [column, column + columns) of a matrix, counted from 0.
struct MatrixRectangle {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;

  bool empty() const { return rows == 0 || columns == 0; }
  friend bool operator==(const MatrixRectangle&, const MatrixRectangle&) = default;
};

/// Where the elements are in the transpose of the matrix.
constexpr MatrixRectangle transposed(const MatrixRectangle& r) {
  return {r.column, r.row, r.columns, r.rows};
}

}  // namespace foretile
