// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/owner_b/column_families.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "base/random.hpp"
#include "planner/plan/distribution.hpp"

namespace foretile::column_families_test {
namespace {

using Numbers = std::vector<std::int32_t>;

std::vector<TileId> consecutive(TileId first, TileId count) {
  std::vector<TileId> tiles(static_cast<std::size_t>(count));
  std::iota(tiles.begin(), tiles.end(), first);
  return tiles;
}

/// 4 x 6 tiles, ids 6 k + j. Tiles 4 to 14: of row 0 columns 4 and 5, row 1, of row 2 columns 0 to 2. Columns
/// 0 to 2 have rows 1 and 2, column 3 row 1 alone, and 4 and 5 rows 0 and 1.
TEST(ColumnFamilies, ConsecutiveTilesMakeThree) {
  const auto families = column_families(Shape::dense(4, 6), consecutive(4, 11));
  ASSERT_EQ(families.size(), 3U);
  EXPECT_EQ(families[0].columns, (Numbers{0, 1, 2}));
  EXPECT_EQ(families[0].rows, (Numbers{1, 2}));
  EXPECT_EQ(families[1].columns, (Numbers{3}));
  EXPECT_EQ(families[1].rows, (Numbers{1}));
  EXPECT_EQ(families[2].columns, (Numbers{4, 5}));
  EXPECT_EQ(families[2].rows, (Numbers{0, 1}));
}

/// Whole rows are one family.
TEST(ColumnFamilies, WholeRowsMakeOne) {
  const auto families = column_families(Shape::dense(4, 6), consecutive(6, 12));
  ASSERT_EQ(families.size(), 1U);
  EXPECT_EQ(families[0].rows, (Numbers{1, 2}));
  EXPECT_EQ(families[0].columns.size(), 6U);
  EXPECT_TRUE(column_families(Shape::dense(4, 6), {}).empty());
}

/// 1 x 2 x 2 ranks have whole columns of every second row: one family, with zeros or without.
TEST(ColumnFamilies, CyclicTilesMakeOne) {
  Random random(3);
  for (const double density : {1.0, 0.6}) {
    std::vector<Shape::Entry> entries;
    for (std::int32_t k = 0; k < 9; ++k) {
      for (std::int32_t j = 0; j < 11; ++j) {
        if (random.real() < density) entries.push_back({k, j});
      }
    }
    const Shape b(9, 11, std::move(entries));
    const ProcessGrid grid{1, 2, 2};
    for (Rank rank = 0; rank < grid.size(); ++rank) {
      std::vector<TileId> owned;
      for (TileId tile = 0; tile < b.nonzeros(); ++tile) {
        if (cyclic_owner(grid, Matrix::b, b.row_of(tile), b.column_of(tile)) == rank) owned.push_back(tile);
      }
      EXPECT_EQ(column_families(b, owned).size(), 1U);
    }
  }
}

/// Each owned tile is in one family, and no other nonzero tile is in any.
TEST(ColumnFamilies, HoldWhatIsOwnedAndNothingElse) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto rows = static_cast<std::int32_t>(random.integer(1, 9));
    const auto columns = static_cast<std::int32_t>(random.integer(1, 9));
    std::vector<Shape::Entry> entries;
    for (std::int32_t k = 0; k < rows; ++k) {
      for (std::int32_t j = 0; j < columns; ++j) {
        if (random.real() < 0.7) entries.push_back({k, j});
      }
    }
    const Shape b(rows, columns, std::move(entries));
    std::vector<TileId> owned;
    for (TileId tile = 0; tile < b.nonzeros(); ++tile) {
      if (random.real() < 0.4) owned.push_back(tile);
    }
    std::multiset<TileId> found;
    for (const ColumnFamily& family : column_families(b, owned)) {
      for (const std::int32_t k : family.rows) {
        for (const std::int32_t j : family.columns) {
          if (const auto tile = b.find(k, j)) found.insert(*tile);
        }
      }
    }
    EXPECT_EQ(found, std::multiset<TileId>(owned.begin(), owned.end()));
  }
}

}  // namespace
}  // namespace foretile::column_families_test
