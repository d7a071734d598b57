// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace foretile {

namespace {

void check_extent(std::string_view where, std::string_view name, std::int64_t extent) {
  if (extent < 1 || extent > max_extent)
    throw input_error(where, fmt::format("{} {}", extent, name), fmt::format("1 to {} {}", max_extent, name));
}

/// Elements whose bytes fit 64 bits.
std::int64_t checked_count(std::string_view where, std::int64_t rows, std::int64_t columns,
                           ElementType element) {
  if (rows > INT64_MAX / element.bytes() / columns)
    throw input_error(where, fmt::format("{} x {} elements", rows, columns), "fewer than 2^63 bytes");
  return rows * columns;
}

std::int64_t checked_sum(std::string_view where, std::string_view name,
                         const std::vector<std::int64_t>& sizes) {
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > max_extent)
      throw input_error(where, fmt::format("a tile of {} {}", size, name),
                        fmt::format("1 to {}", max_extent));
    sum = std::min(sum + size, max_extent + 1);
  }
  check_extent(where, name, sum);
  return sum;
}

void check_tiles(std::string_view where, const MatrixFacts& facts) {
  const auto rows = std::ssize(facts.row_tiles), columns = std::ssize(facts.column_tiles);
  for (const MatrixTile& tile : facts.tiles) {
    if (tile.row < 0 || tile.row >= rows || tile.column < 0 || tile.column >= columns)
      throw input_error(where, fmt::format("tile ({}, {})", tile.row, tile.column),
                        fmt::format("tiles below ({}, {}), counted from 0", rows, columns));
  }
  const auto twice = std::adjacent_find(facts.tiles.begin(), facts.tiles.end());
  if (twice != facts.tiles.end())
    throw input_error(where, fmt::format("tile ({}, {}) twice", twice->row, twice->column), "each tile once");
}

}  // namespace

std::string_view name_of(MatrixLayout layout) {
  switch (layout) {
    case MatrixLayout::column_major:
      return "column-major";
    case MatrixLayout::row_major:
      return "row-major";
    case MatrixLayout::chunked:
      return "chunked";
    case MatrixLayout::block_sparse:
      return "block-sparse";
    case MatrixLayout::coordinates:
      return "coordinates";
  }
  return "unknown";
}

MatrixFacts dense_facts(std::string_view where, std::int64_t rows, std::int64_t columns, ElementType element,
                        MatrixLayout layout) {
  check_extent(where, "rows", rows);
  check_extent(where, "columns", columns);
  MatrixFacts facts;
  facts.rows = rows;
  facts.columns = columns;
  facts.element = element;
  facts.layout = layout;
  facts.stored = checked_count(where, rows, columns, element);
  return facts;
}

MatrixFacts block_sparse_facts(std::string_view where, std::vector<std::int64_t> row_tiles,
                               std::vector<std::int64_t> column_tiles, std::vector<MatrixTile> tiles,
                               ElementType element) {
  MatrixFacts facts;
  facts.rows = checked_sum(where, "rows", row_tiles);
  facts.columns = checked_sum(where, "columns", column_tiles);
  facts.element = element;
  facts.layout = MatrixLayout::block_sparse;
  facts.row_tiles = std::move(row_tiles);
  facts.column_tiles = std::move(column_tiles);
  facts.tiles = std::move(tiles);
  std::sort(facts.tiles.begin(), facts.tiles.end());
  check_tiles(where, facts);
  for (const MatrixTile& tile : facts.tiles) {
    const std::int64_t elements =
        checked_count(where, facts.row_tiles[static_cast<std::size_t>(tile.row)],
                      facts.column_tiles[static_cast<std::size_t>(tile.column)], element);
    if (elements > INT64_MAX / element.bytes() - facts.stored)
      throw input_error(where, "tiles of more elements", "fewer than 2^63 bytes");
    facts.stored += elements;
  }
  return facts;
}

std::string describe(const MatrixFacts& facts) {
  return fmt::format("{} x {}, {}, {}", facts.rows, facts.columns, name_of(facts.element),
                     name_of(facts.layout));
}

}  // namespace foretile
