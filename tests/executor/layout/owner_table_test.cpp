// SPDX-License-Identifier: BSD-3-Clause
#include "executor/layout/owner_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "base/error.hpp"

namespace foretile::owner_table_test {
namespace {

/// 3 + 2 rows, 4 + 1 columns; tiles column by column on ranks 0, 1, 1, 0. On rank 0, tile (0, 0) starts at 7
/// with columns 3 apart, and tile (1, 1) at 100.
OwnerTable table(std::vector<TilePlace> places = {{7, 3}, {}, {}, {100, 2}}) {
  return {Tiling({0, 3, 5}), Tiling({0, 4, 5}), {0, 1, 1, 0}, std::move(places), 0};
}

// Rows 2 to 3 and columns 3 to 4 meet all four tiles, in an element each.
TEST(OwnerTable, CutsARectangleAtTiles) {
  std::vector<MatrixPart> parts;
  table().for_each_part({2, 3, 2, 2}, [&](const MatrixPart& part) { parts.push_back(part); });
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].where, (MatrixRectangle{2, 3, 1, 1}));
  EXPECT_EQ(parts[0].rank, 0);
  EXPECT_EQ(parts[0].at, 7 + 2 + 3 * 3);
  EXPECT_EQ(parts[1].where, (MatrixRectangle{3, 3, 1, 1}));
  EXPECT_EQ(parts[1].rank, 1);
  EXPECT_EQ(parts[3].where, (MatrixRectangle{3, 4, 1, 1}));
  EXPECT_EQ(parts[3].rank, 0);
  EXPECT_EQ(parts[3].at, 100);
}

TEST(OwnerTable, HasNoPartsOfNothing) {
  table().for_each_part({5, 5, 0, 0}, [&](const MatrixPart&) { ADD_FAILURE(); });
}

TEST(OwnerTable, RefusesWrongLists) {
  EXPECT_THROW(table({{7, 3}}), InputError);
  EXPECT_THROW(table({{7, 2}, {}, {}, {100, 2}}), InputError);
  EXPECT_THROW(table({{-1, 3}, {}, {}, {100, 2}}), InputError);
}

/// Columns 5 apart where tiles have 3 rows: column 3 begins 15 behind the first.
TEST(OwnerTable, HonoursLeadingDimensions) {
  std::vector<MatrixPart> parts;
  table({{7, 5}, {}, {}, {100, 2}}).for_each_part({1, 3, 2, 1}, [&](const MatrixPart& part) {
    parts.push_back(part);
  });
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].at, 7 + 1 + 3 * 5);
  EXPECT_EQ(parts[0].ld, 5);
}

/// Bytes of elements of 16 must be below 2^63, also those of the last column.
TEST(OwnerTable, RefusesPlacesBeyondAllMemory) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const TilePlace place : {TilePlace{7, kMost}, {7, kMost / 4 / 16}, {kMost, 3}, {kMost / 16, 3}})
    EXPECT_THROW(table({place, {}, {}, {100, 2}}), InputError) << place.at << " " << place.ld;
  EXPECT_NO_THROW(table({{kMost / 64, kMost / 256}, {}, {}, {100, 2}}));
}

TEST(OwnerTable, TextTellsPlacesApart) {
  EXPECT_EQ(table().text(), table().text());
  EXPECT_NE(table().text(), table({{8, 3}, {}, {}, {100, 2}}).text());
}

}  // namespace
}  // namespace foretile::owner_table_test
