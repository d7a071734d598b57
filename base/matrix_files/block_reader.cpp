// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/block_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/matrix_files/tile_cuts.hpp"

namespace foretile {

namespace {

bool is_inside(const MatrixRectangle& inner, const MatrixRectangle& outer) {
  return inner.row >= outer.row && inner.row + inner.rows <= outer.row + outer.rows &&
         inner.column >= outer.column && inner.column + inner.columns <= outer.column + outer.columns;
}

void clear(const MatrixRectangle& r, std::int64_t element_bytes, std::byte* to, std::int64_t ld) {
  for (std::int64_t j = 0; j < r.columns; ++j)
    std::memset(to + j * ld * element_bytes, 0, static_cast<std::size_t>(r.rows * element_bytes));
}

}  // namespace

BlockReader::BlockReader(MatrixFacts facts, std::vector<std::int64_t> offsets,
                         std::unique_ptr<ElementList> elements)
    : MatrixReader(std::move(facts)),
      row_cuts_(cuts_of(this->facts().row_tiles)),
      column_cuts_(cuts_of(this->facts().column_tiles)),
      offsets_(std::move(offsets)),
      content_(gapless_offsets(this->facts())),
      elements_(std::move(elements)) {}

BlockReader::Tile BlockReader::tile(std::size_t number) const {
  const auto [row, column] = facts().tiles[number];
  const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
  return {row_cuts_[i], column_cuts_[j], facts().row_tiles[i], facts().column_tiles[j], offsets_[number]};
}

template <class Visit>
void BlockReader::for_each_tile(const MatrixRectangle& r, const Visit& visit) const {
  const std::int32_t first_column = tile_at(column_cuts_, r.column);
  const std::int32_t last_column = tile_at(column_cuts_, r.column + r.columns - 1);
  const std::int32_t last_row = tile_at(row_cuts_, r.row + r.rows - 1);
  const auto& tiles = facts().tiles;
  for (std::int32_t row = tile_at(row_cuts_, r.row); row <= last_row; ++row) {
    auto at = std::lower_bound(tiles.begin(), tiles.end(), MatrixTile{row, first_column});
    for (; at != tiles.end() && at->row == row && at->column <= last_column; ++at)
      visit(tile(static_cast<std::size_t>(at - tiles.begin())));
  }
}

void BlockReader::read_inside(const MatrixRectangle& r, std::byte* to, std::int64_t ld) const {
  std::vector<Tile> parts;
  for_each_tile(r, [&](const Tile& tile) { parts.push_back(tile); });
  const bool one =
      parts.size() == 1 && is_inside(r, {parts[0].row, parts[0].column, parts[0].rows, parts[0].columns});
  if (!one) clear(r, facts().element.bytes(), to, ld);
  for (const Tile& tile : parts) copy_part(tile, r, to, ld);
}

void BlockReader::copy_part(const Tile& tile, const MatrixRectangle& r, std::byte* to,
                            std::int64_t ld) const {
  const std::int64_t bytes = facts().element.bytes();
  const std::int64_t row = std::max(tile.row, r.row), column = std::max(tile.column, r.column);
  const std::int64_t rows = std::min(tile.row + tile.rows, r.row + r.rows) - row;
  const std::int64_t columns = std::min(tile.column + tile.columns, r.column + r.columns) - column;
  const std::int64_t first = tile.first + row - tile.row + (column - tile.column) * tile.rows;
  std::byte* begin = to + (row - r.row + (column - r.column) * ld) * bytes;
  if (rows == tile.rows && ld == rows) return elements_->read(first, rows * columns, begin);
  for (std::int64_t j = 0; j < columns; ++j)
    elements_->read(first + j * tile.rows, rows, begin + j * ld * bytes);
}

std::optional<MappedRectangle> BlockReader::mapped(const MatrixRectangle& r) const {
  const std::byte* map = elements_->mapped();
  if (!map || r.rows < 1 || r.columns < 1) return std::nullopt;
  std::optional<MappedRectangle> found;
  for_each_tile(r, [&](const Tile& tile) {
    if (!is_inside(r, {tile.row, tile.column, tile.rows, tile.columns})) return;
    const std::int64_t first = tile.first + r.row - tile.row + (r.column - tile.column) * tile.rows;
    found = MappedRectangle{map + first * facts().element.bytes(), tile.rows};
  });
  return found;
}

/// The content is the tiles in the order of the facts, without gaps, whatever their order in the file.
void BlockReader::read_content(std::int64_t begin, std::span<std::byte> to) const {
  const std::int64_t bytes = facts().element.bytes();
  std::int64_t first = begin / bytes;
  const std::int64_t end = first + std::ssize(to) / bytes;
  std::byte* at = to.data();
  while (first < end) {
    const auto next = std::upper_bound(content_.begin(), content_.end(), first);
    const auto number = static_cast<std::size_t>(next - content_.begin() - 1);
    const std::int64_t count = std::min(*next, end) - first;
    elements_->read(offsets_[number] + first - content_[number], count, at);
    first += count;
    at += count * bytes;
  }
}

std::string BlockReader::content_order() const {
  std::string text =
      fmt::format("{}; {};", fmt::join(facts().row_tiles, " "), fmt::join(facts().column_tiles, " "));
  for (const auto& [row, column] : facts().tiles) text += fmt::format(" {},{}", row, column);
  return text;
}

}  // namespace foretile
