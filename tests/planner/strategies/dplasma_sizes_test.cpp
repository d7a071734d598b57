#include "planner/strategies/dplasma_sizes.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile {
namespace {

struct Row {
  std::int64_t tiles, p, q, g, T;
  std::int64_t fact, b, c, d;
  int lookahead;
};

/// The formula by hand, for square matrices. First row: 7 * 7 / 8 = 6 > 3.75, 3 * 3 / 8 = 1; b = c = 7 / 4 =
/// 1; c / g = 0; d = min(7, 5 / 1 - 1) = 4. Third: 48 * 48 and 24 * 24 = 576 > 356.25, 16 * 16 = 256; d =
/// (475 - 256) / 32 - 1 = 5.
TEST(DplasmaSizes, SixCases) {
  for (const Row& row : {Row{7, 2, 2, 2, 5, 2, 1, 1, 4, 2}, Row{7, 2, 2, 2, 10, 1, 3, 3, 1, 1},
                         Row{48, 1, 1, 1, 475, 3, 16, 16, 5, 2}, Row{48, 1, 1, 6, 475, 2, 24, 24, 12, 2},
                         Row{96, 2, 2, 6, 475, 2, 24, 24, 12, 2}, Row{120, 4, 4, 6, 475, 1, 30, 30, 8, 1}}) {
    SCOPED_TRACE(row.tiles);
    const DplasmaSizes s = dplasma_sizes(row.tiles, row.tiles, row.tiles, row.p, row.q, row.g, row.T);
    EXPECT_EQ(s.fact, row.fact);
    EXPECT_EQ(s.b, row.b);
    EXPECT_EQ(s.c, row.c);
    EXPECT_EQ(s.d, row.d);
    EXPECT_EQ(s.lookahead, row.lookahead);
  }
}

TEST(DplasmaSizes, RefusesWhatItWouldDivideByZeroFor) {
  EXPECT_THROW(dplasma_sizes(3, 8, 8, 4, 1, 1, 100), InputError);  // b = 3 / 4 = 0
  EXPECT_THROW(dplasma_sizes(8, 3, 8, 1, 4, 1, 100), InputError);
  EXPECT_THROW(dplasma_sizes(8, 8, 8, 1, 1, 0, 100), InputError);
}

}  // namespace
}  // namespace foretile
