// SPDX-License-Identifier: BSD-3-Clause
#include "executor/layout/owner_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"

namespace foretile {

namespace {

/// The tile that holds the index.
std::int32_t tile_of(const Tiling& tiling, std::int64_t index) {
  const auto& cuts = tiling.cuts();
  return static_cast<std::int32_t>(std::upper_bound(cuts.begin(), cuts.end(), index) - cuts.begin()) - 1;
}

}  // namespace

OwnerTable::OwnerTable(Tiling row_tiles, Tiling column_tiles, std::vector<Rank> owners,
                       std::vector<TilePlace> places, Rank self)
    : row_tiles_(std::move(row_tiles)),
      column_tiles_(std::move(column_tiles)),
      owners_(std::move(owners)),
      places_(std::move(places)),
      self_(self) {
  const std::int64_t tiles = std::int64_t{row_tiles_.tiles()} * column_tiles_.tiles();
  if (std::ssize(owners_) != tiles || std::ssize(places_) != tiles)
    throw input_error("table of owners",
                      fmt::format("{} owners and {} places", owners_.size(), places_.size()),
                      fmt::format("{} of both, one for each tile", tiles));
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t rows = row_tiles_.size(static_cast<std::int32_t>(t % row_tiles_.tiles()));
    const std::int64_t columns = column_tiles_.size(static_cast<std::int32_t>(t / row_tiles_.tiles()));
    TilePlace& place = places_[static_cast<std::size_t>(t)];
    if (owners_[static_cast<std::size_t>(t)] != self) place = {0, 0};
    if (place.at > kMostElements / 2 || place.ld > kMostElements / 2 / std::max<std::int64_t>(1, columns))
      throw input_error(
          fmt::format("table of owners: tile ({}, {})", t % row_tiles_.tiles(), t / row_tiles_.tiles()),
          fmt::format("place {} with leading dimension {}", place.at, place.ld), "places below 2^63 bytes");
    if (owners_[static_cast<std::size_t>(t)] != self || (place.at >= 0 && place.ld >= rows)) continue;
    throw input_error(
        fmt::format("table of owners: tile ({}, {})", t % row_tiles_.tiles(), t / row_tiles_.tiles()),
        fmt::format("place {} with leading dimension {}", place.at, place.ld),
        fmt::format("0 or more, and at least {}", rows));
  }
}

void OwnerTable::for_each_part(const MatrixRectangle& of,
                               const std::function<void(const MatrixPart&)>& visit) const {
  if (of.empty()) return;
  const std::int64_t last_row = of.row + of.rows, last_column = of.column + of.columns;
  for (std::int32_t j = tile_of(column_tiles_, of.column);
       j < column_tiles_.tiles() && column_tiles_.begin(j) < last_column; ++j) {
    const std::int64_t column = std::max(of.column, column_tiles_.begin(j));
    const std::int64_t columns =
        std::min(last_column, column_tiles_.begin(j) + column_tiles_.size(j)) - column;
    for (std::int32_t i = tile_of(row_tiles_, of.row);
         i < row_tiles_.tiles() && row_tiles_.begin(i) < last_row; ++i) {
      const std::int64_t row = std::max(of.row, row_tiles_.begin(i));
      const std::int64_t rows = std::min(last_row, row_tiles_.begin(i) + row_tiles_.size(i)) - row;
      const std::size_t tile = static_cast<std::size_t>(i) +
                               static_cast<std::size_t>(j) * static_cast<std::size_t>(row_tiles_.tiles());
      const TilePlace& place = places_[tile];
      visit({{row, column, rows, columns},
             owners_[tile],
             place.at + row - row_tiles_.begin(i) + (column - column_tiles_.begin(j)) * place.ld,
             place.ld});
    }
  }
}

std::string OwnerTable::text() const {
  std::string text = fmt::format("{};{};{};", fmt::join(row_tiles_.cuts(), ","),
                                 fmt::join(column_tiles_.cuts(), ","), fmt::join(owners_, ","));
  for (const TilePlace& place : places_) text += fmt::format("{}+{},", place.at, place.ld);
  return digest(text);
}

}  // namespace foretile
