// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/team.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"

namespace foretile::team_test {
namespace {

/// 900 x 3136 for 19 cores: 1 x 19 parts have 900 x 166 = 149,400 elements at most, 2 x 9 450 x 349 =
/// 157,050, 3 x 6 300 x 523 = 156,900, 19 x 1 48 x 3136 = 150,528.
TEST(Team, PartsByHand) {
  const TeamParts parts = team_parts(900, 3136, 19);
  EXPECT_EQ(parts.rows, 1);
  EXPECT_EQ(parts.columns, 19);
  const ProductSize part = largest_part({900, 3136, 7}, 19);
  EXPECT_EQ(part.m, 900);
  EXPECT_EQ(part.n, 166);
  EXPECT_EQ(part.k, 7);
}

/// 100 x 100 for 4 cores: 1 x 4, 2 x 2 and 4 x 1 have 2500 each; 50 + 50 rows and columns are the fewest.
TEST(Team, OfEqualPartsTheSquareOne) {
  const TeamParts parts = team_parts(100, 100, 4);
  EXPECT_EQ(parts.rows, 2);
  EXPECT_EQ(parts.columns, 2);
}

TEST(Team, NoPartIsEmptyAndNoneCouldBeSmaller) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const std::int64_t m = random.integer(1, 60), n = random.integer(1, 60);
    const int cores = static_cast<int>(random.integer(1, 40));
    SCOPED_TRACE(fmt::format("seed {}: {} x {}, {} cores", seed, m, n, cores));
    const TeamParts parts = team_parts(m, n, cores);
    ASSERT_LE(parts.count(), cores);
    ASSERT_LE(parts.rows, m);
    ASSERT_LE(parts.columns, n);
    const ProductSize part = largest_part({m, n, 1}, cores);
    for (std::int64_t rows = 1; rows <= std::min<std::int64_t>(m, cores); ++rows) {
      for (std::int64_t columns = 1; columns <= std::min<std::int64_t>(n, cores / rows); ++columns)
        ASSERT_LE(part.m * part.n, ((m + rows - 1) / rows) * ((n + columns - 1) / columns));
    }
  }
}

}  // namespace
}  // namespace foretile::team_test
