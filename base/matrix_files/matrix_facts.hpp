// SPDX-License-Identifier: BSD-3-Clause
// What is known of a matrix in a file without its numbers.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/element_type.hpp"

namespace foretile {

enum class MatrixLayout : std::uint8_t {
  column_major,  ///< element (i, j) is the (i + j rows)-th
  row_major,     ///< element (i, j) is the (i columns + j)-th
  chunked,       ///< an HDF5 dataset that only the HDF5 library can read: chunks, filters, other byte orders
  block_sparse,  ///< tiles, each column-major; the others are zero
  coordinates    ///< single elements; the others are zero
};

/// "column-major", "row-major", "chunked", "block-sparse", "coordinates".
std::string_view name_of(MatrixLayout layout);

/// Position of a tile, counted from 0.
struct MatrixTile {
  std::int32_t row = 0, column = 0;

  friend bool operator==(const MatrixTile&, const MatrixTile&) = default;
  friend bool operator<(const MatrixTile& x, const MatrixTile& y) {
    return std::pair(x.row, x.column) < std::pair(y.row, y.column);
  }
};

/// A single element, its position counted from 0.
struct MatrixEntry {
  std::int64_t row = 0, column = 0;
  std::complex<double> value;

  friend bool operator==(const MatrixEntry&, const MatrixEntry&) = default;
};

struct MatrixFacts {
  std::int64_t rows = 0, columns = 0;  ///< at least 1
  ElementType element;
  MatrixLayout layout = MatrixLayout::column_major;
  /// Of a block-sparse matrix: sizes of its tiles, which add up to rows and columns, and the stored tiles row
  /// by row. Empty in other layouts.
  std::vector<std::int64_t> row_tiles, column_tiles;
  std::vector<MatrixTile> tiles;
  std::int64_t stored = 0;  ///< elements that the file holds; a Matrix Market file's both halves

  bool is_sparse() const {
    return layout == MatrixLayout::block_sparse || layout == MatrixLayout::coordinates;
  }
  /// Of the stored elements in memory.
  std::int64_t bytes() const { return stored * element.bytes(); }
};

/// Facts of a dense matrix that is to be written, or of a block-sparse one. The tiles may have any order.
/// Throw InputError, which begins with `where`, for extents, sizes or tiles that cannot be.
MatrixFacts dense_facts(std::string_view where, std::int64_t rows, std::int64_t columns, ElementType element,
                        MatrixLayout layout);
MatrixFacts block_sparse_facts(std::string_view where, std::vector<std::int64_t> row_tiles,
                               std::vector<std::int64_t> column_tiles, std::vector<MatrixTile> tiles,
                               ElementType element);

/// "4 x 5, double, column-major".
std::string describe(const MatrixFacts& facts);

}  // namespace foretile
