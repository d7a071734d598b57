// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.hpp"

namespace foretile {

Shape::Shape(std::int32_t rows, std::int32_t columns, std::vector<Entry> entries)
    : rows_(rows), columns_(columns), row_start_(rows + 1, 0), column_start_(columns + 1, 0) {
  const auto place = [](const Entry& e) { return std::tuple(e.row, e.column); };
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& l, const Entry& r) { return place(l) < place(r); });
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto [row, column, norm] = entries[e];
    if (row < 0 || row >= rows || column < 0 || column >= columns) {
      throw input_error("shape", fmt::format("a tile at row {}, column {}", row, column),
                        fmt::format("rows below {} and columns below {}", rows, columns));
    }
    if (e > 0 && place(entries[e - 1]) == place(entries[e])) {
      throw input_error("shape", fmt::format("the tile at row {}, column {} twice", row, column),
                        "each tile once");
    }
    ++row_start_[row + 1];
    ++column_start_[column + 1];
  }
  for (std::int32_t i = 0; i < rows; ++i) row_start_[i + 1] += row_start_[i];
  for (std::int32_t j = 0; j < columns; ++j) column_start_[j + 1] += column_start_[j];

  row_columns_.reserve(entries.size());
  rows_of_.reserve(entries.size());
  norms_.reserve(entries.size());
  column_rows_.resize(entries.size());
  column_ids_.resize(entries.size());
  std::vector<TileId> next(column_start_.begin(), column_start_.end() - 1);
  for (const auto& [row, column, norm] : entries) {
    const TileId id = nonzeros();
    row_columns_.push_back(column);
    rows_of_.push_back(row);
    norms_.push_back(norm);
    column_rows_[next[column]] = row;
    column_ids_[next[column]++] = id;
  }
}

Shape Shape::dense(std::int32_t rows, std::int32_t columns) {
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(rows) * columns);
  for (std::int32_t i = 0; i < rows; ++i) {
    for (std::int32_t j = 0; j < columns; ++j) entries.push_back({i, j, 1.0F});
  }
  return {rows, columns, std::move(entries)};
}

std::optional<TileId> Shape::find(std::int32_t row, std::int32_t column) const {
  const auto columns = this->row(row);
  const auto at = std::lower_bound(columns.begin(), columns.end(), column);
  if (at == columns.end() || *at != column) return std::nullopt;
  return first(row) + (at - columns.begin());
}

}  // namespace foretile
