// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/owner_b/column_families.hpp"

#include <algorithm>

namespace foretile {

namespace {

/// Of a row of B that the rank has tiles of, seen from a column or a family.
enum class Has : std::uint8_t { nothing, own, foreign };

class Families {
 public:
  Families(const Shape& b, std::span<const TileId> owned) : b_(b), owned_(owned) {
    for (const TileId tile : owned) {
      if (rows_.empty() || rows_.back() != b.row_of(tile)) rows_.push_back(b.row_of(tile));
      columns_.push_back(b.column_of(tile));
    }
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  }

  std::vector<ColumnFamily> all() {
    for (const std::int32_t column : columns_) join(column);
    std::vector<ColumnFamily> families;
    for (Open& open : open_) {
      ColumnFamily& family = families.emplace_back();
      family.columns = std::move(open.columns);
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (open.has[r] == Has::own) family.rows.push_back(rows_[r]);
      }
    }
    return families;
  }

 private:
  struct Open {
    std::vector<std::int32_t> columns;
    std::vector<Has> has;  // by place in rows_
  };
  struct Tile {
    std::size_t row;  // place in rows_
    Has has;
  };

  void join(std::int32_t column) {
    const std::vector<Tile> tiles = tiles_of(column);
    const auto agrees = [&](const Open& open) {
      return std::ranges::all_of(tiles, [&](const Tile& tile) {
        return open.has[tile.row] == Has::nothing || open.has[tile.row] == tile.has;
      });
    };
    auto open = std::ranges::find_if(open_, agrees);
    if (open == open_.end())
      open = open_.insert(open_.end(), Open{{}, std::vector<Has>(rows_.size(), Has::nothing)});
    open->columns.push_back(column);
    for (const Tile& tile : tiles) open->has[tile.row] = tile.has;
  }

  std::vector<Tile> tiles_of(std::int32_t column) const {
    std::vector<Tile> tiles;
    const auto rows = b_.column(column);
    const auto ids = b_.column_ids(column);
    auto row = rows_.begin();
    for (std::size_t e = 0; e < rows.size(); ++e) {
      row = std::lower_bound(row, rows_.end(), rows[e]);
      if (row == rows_.end()) break;
      if (*row != rows[e]) continue;
      const bool own = std::ranges::binary_search(owned_, ids[e]);
      tiles.push_back({static_cast<std::size_t>(row - rows_.begin()), own ? Has::own : Has::foreign});
    }
    return tiles;
  }

  const Shape& b_;
  std::span<const TileId> owned_;
  std::vector<std::int32_t> rows_, columns_;  // that have owned tiles
  std::vector<Open> open_;
};

}  // namespace

std::vector<ColumnFamily> column_families(const Shape& b, std::span<const TileId> owned) {
  return Families(b, owned).all();
}

}  // namespace foretile
