// SPDX-License-Identifier: BSD-3-Clause
#include "executor/layout/block_cyclic.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile::block_cyclic_test {
namespace {

BlacsGrid grid_of(int rows, int columns, int row = -1, int column = -1) {
  BlacsGrid grid{rows, columns, row, column, {}};
  for (int rank = 0; rank < rows * columns; ++rank) grid.ranks.push_back(Rank::of(rank));
  return grid;
}

std::vector<MatrixPart> parts_of(const Layout& layout, const MatrixRectangle& of) {
  std::vector<MatrixPart> parts;
  layout.for_each_part(of, [&](const MatrixPart& part) { parts.push_back(part); });
  return parts;
}

// 9 rows in blocks of 2 on 2 process rows: 0 1 | 4 5 | 8 on the first, 2 3 | 6 7 on the second. 9 columns in
// blocks of 2 on 3 process columns: 0 1 | 6 7, then 2 3 | 8, then 4 5 (the example of the ScaLAPACK Users'
// Guide, figure 4.6).
TEST(BlockCyclic, CountsAsInTheUsersGuide) {
  const BlockCyclic layout(grid_of(2, 3), {9, 9, 2, 2, 0, 0, 5});
  EXPECT_EQ(layout.local_rows(0), 5);
  EXPECT_EQ(layout.local_rows(1), 4);
  EXPECT_EQ(layout.local_columns(0), 4);
  EXPECT_EQ(layout.local_columns(1), 3);
  EXPECT_EQ(layout.local_columns(2), 2);
  EXPECT_EQ(layout.process_row(8), 0);
  EXPECT_EQ(layout.process_column(8), 1);
}

// Rows 3 to 5: row 3 is the second of process row 1, at 1; rows 4 and 5 are the third and fourth of row 0,
// at 2. Column 6 is the third of process column 0: 2 leading dimensions of 5 on.
TEST(BlockCyclic, FindsTheParts) {
  const BlockCyclic layout(grid_of(2, 3), {9, 9, 2, 2, 0, 0, 5});
  const std::vector<MatrixPart> parts = parts_of(layout, {3, 6, 3, 1});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].where, (MatrixRectangle{3, 6, 1, 1}));
  EXPECT_EQ(parts[0].rank, 3);
  EXPECT_EQ(parts[0].at, 1 + 2 * 5);
  EXPECT_EQ(parts[1].where, (MatrixRectangle{4, 6, 2, 1}));
  EXPECT_EQ(parts[1].rank, 0);
  EXPECT_EQ(parts[1].at, 2 + 2 * 5);
}

// Ordered by process row, rows 0 1 4 5 8 are side by side: one part.
TEST(BlockCyclic, JoinsWhatLiesTogetherInAnotherOrder) {
  IndexOrder rows;
  for (const IndexOrder::Run run : {IndexOrder::Run{0, 2}, {4, 2}, {8, 1}, {2, 2}, {6, 2}}) rows.add(run);
  const BlockCyclic layout(grid_of(2, 1), {9, 3, 2, 2, 0, 0, 7}, {0, 0, 9, 3}, rows);
  const std::vector<MatrixPart> parts = parts_of(layout, {0, 0, 9, 3});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].where, (MatrixRectangle{0, 0, 5, 3}));
  EXPECT_EQ(parts[0].at, 0);
  EXPECT_EQ(parts[1].where, (MatrixRectangle{5, 0, 4, 3}));
  EXPECT_EQ(parts[1].rank, 1);
}

TEST(BlockCyclic, ContiguousIsOneBlockEach) {
  const BlockCyclic layout = contiguous(grid_of(2, 2), 5, 3, 3);
  const std::vector<MatrixPart> parts = parts_of(layout, {0, 0, 5, 3});
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].where, (MatrixRectangle{0, 0, 3, 2}));
  EXPECT_EQ(parts[3].where, (MatrixRectangle{3, 2, 2, 1}));
  EXPECT_EQ(parts[3].rank, 3);
}

/// Every element of a random part is in one place, and no place holds two.
TEST(BlockCyclic, GivesEveryElementAPlace) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto below = [&](std::int64_t end) { return static_cast<int>(random.integer(0, end - 1)); };
    const int p = 1 + below(3), q = 1 + below(3);
    BlockCyclicShape shape{1 + below(30), 1 + below(30), 1 + below(6), 1 + below(6), below(p), below(q), 0};
    shape.ld = shape.rows + below(3);
    MatrixRectangle of{below(shape.rows), below(shape.columns), 0, 0};
    of.rows = random.integer(0, shape.rows - of.row);
    of.columns = random.integer(0, shape.columns - of.column);
    const BlockCyclic layout(grid_of(p, q), shape, of);
    std::set<std::pair<std::int64_t, std::int64_t>> elements;
    std::set<std::pair<int, std::int64_t>> places;
    for (const MatrixPart& part : parts_of(layout, {0, 0, of.rows, of.columns})) {
      const int row = part.rank / q, column = part.rank % q;
      for (std::int64_t j = 0; j < part.where.columns; ++j) {
        for (std::int64_t i = 0; i < part.where.rows; ++i) {
          EXPECT_TRUE(elements.emplace(part.where.row + i, part.where.column + j).second);
          const std::int64_t at = part.at + i + j * part.ld;
          EXPECT_TRUE(places.emplace(part.rank, at).second);
          EXPECT_LT(at % shape.ld, layout.local_rows(row));
          EXPECT_LT(at / shape.ld, layout.local_columns(column));
        }
      }
    }
    EXPECT_EQ(std::ssize(elements), of.rows * of.columns);
  }
}

TEST(BlockCyclic, RefusesImpossibleNumbers) {
  const BlockCyclicShape good{9, 9, 2, 2, 0, 0, 5};
  const auto refused = [](const BlacsGrid& grid, const BlockCyclicShape& shape, const MatrixRectangle& of,
                          const char* why) {
    try {
      const BlockCyclic layout(grid, shape, of);
      ADD_FAILURE() << why << " was taken";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  const MatrixRectangle all{0, 0, 9, 9};
  refused(grid_of(0, 2), good, all, "grid");
  refused({2, 2, 0, 0, {0}}, good, all, "one for each place");
  refused(grid_of(2, 3), {9, 9, 0, 2, 0, 0, 5}, all, "blocks");
  refused(grid_of(2, 3), {-1, 9, 2, 2, 0, 0, 5}, all, "extents");
  refused(grid_of(2, 3), {9, 9, 2, 2, 2, 0, 5}, all, "first process");
  refused(grid_of(2, 3), good, {1, 0, 9, 9}, "part");
  refused(grid_of(2, 3), good, {0, 0, 9, 9223372036854775807}, "part");
  refused(grid_of(2, 3, 0, 0), {9, 9, 2, 2, 0, 0, 4}, all, "at least 5");
}

}  // namespace
}  // namespace foretile::block_cyclic_test
