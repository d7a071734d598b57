// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which tiles of a matrix are nonzero, with the Frobenius norm of each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace foretile {

/// Position of a nonzero tile in row-major order: the tile's number within its matrix.
using TileId = std::int64_t;

/// A block-sparse pattern in compressed rows, and the same in compressed columns. Immutable.
class Shape {
 public:
  /// A nonzero tile.
  struct Entry {
    std::int32_t row;     ///< tile row, from 0
    std::int32_t column;  ///< tile column, from 0
    float norm = 1.0F;    ///< Frobenius norm of the tile
  };

  Shape() = default;
  /// Entries in any order; throws InputError when one is outside or appears twice.
  Shape(std::int32_t rows, std::int32_t columns, std::vector<Entry> entries);
  /// All tiles nonzero, of norm 1.
  static Shape dense(std::int32_t rows, std::int32_t columns);

  /// Tile rows.
  std::int32_t rows() const { return rows_; }
  /// Tile columns.
  std::int32_t columns() const { return columns_; }
  /// Number of nonzero tiles.
  TileId nonzeros() const { return static_cast<TileId>(row_columns_.size()); }

  /// Columns of the nonzero tiles of a row, increasing. Tile ids are `first(row)` plus the position.
  std::span<const std::int32_t> row(std::int32_t row) const {
    return {row_columns_.data() + row_start_[row],
            static_cast<std::size_t>(row_start_[row + 1] - row_start_[row])};
  }
  /// Id of the first nonzero tile of a row.
  TileId first(std::int32_t row) const { return row_start_[row]; }
  /// Rows of the nonzero tiles of a column, increasing, and the ids of these tiles.
  std::span<const std::int32_t> column(std::int32_t column) const {
    return {column_rows_.data() + column_start_[column],
            static_cast<std::size_t>(column_start_[column + 1] - column_start_[column])};
  }
  /// Ids of the nonzero tiles of a column, by increasing row.
  std::span<const TileId> column_ids(std::int32_t column) const {
    return {column_ids_.data() + column_start_[column],
            static_cast<std::size_t>(column_start_[column + 1] - column_start_[column])};
  }

  /// Frobenius norm of a tile.
  float norm(TileId id) const { return norms_[id]; }
  /// Tile row of a nonzero tile.
  std::int32_t row_of(TileId id) const { return rows_of_[id]; }
  /// Tile column of a nonzero tile.
  std::int32_t column_of(TileId id) const { return row_columns_[id]; }
  /// The tile's id, or nothing when it is zero.
  std::optional<TileId> find(std::int32_t row, std::int32_t column) const;
  /// Whether the tile is nonzero.
  bool contains(std::int32_t row, std::int32_t column) const { return find(row, column).has_value(); }

 private:
  std::int32_t rows_ = 0;
  std::int32_t columns_ = 0;
  std::vector<TileId> row_start_{0};
  std::vector<std::int32_t> row_columns_;
  std::vector<std::int32_t> rows_of_;
  std::vector<float> norms_;
  std::vector<TileId> column_start_{0};
  std::vector<std::int32_t> column_rows_;
  std::vector<TileId> column_ids_;
};

}  // namespace foretile
