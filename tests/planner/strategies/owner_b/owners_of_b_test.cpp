// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/owner_b/owners_of_b.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/planner/all_grids.hpp"

namespace foretile::owners_of_b_test {
namespace {

/// Every answer against all products, found by looking at each i, j and k.
TEST(OwnersOfB, AgreeWithAllProducts) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Contraction p = grid_problem(seed).contraction;
    Random random(seed);
    const ProcessGrid grid{1, static_cast<int>(random.integer(1, 5)), 1};
    Distribution distribution{DistributionKind::table, {}};
    for (TileId tile = 0; tile < p.b.nonzeros(); ++tile)
      distribution.owners.push_back(Rank::of(random.integer(0, grid.size() - 1)));
    const OwnersOfB owners(p, grid, distribution);
    for (Rank rank = 0; rank < grid.size(); ++rank) {
      std::set<std::int32_t> rows;
      for (const TileId tile : owners.tiles_of(rank)) {
        EXPECT_EQ(distribution.owners[static_cast<std::size_t>(tile)], rank);
        rows.insert(p.b.row_of(tile));
      }
      EXPECT_TRUE(std::ranges::equal(owners.rows_of(rank), rows));
    }
    for (std::int32_t i = 0; i < p.m.tiles(); ++i) {
      std::vector<std::set<Rank>> of_a(static_cast<std::size_t>(p.k.tiles()));
      for (const std::int32_t j : p.c.row(i)) {
        std::vector<Rank> in_order;
        for (const std::int32_t k : p.a.row(i)) {
          const auto tile = p.b.find(k, j);
          if (!tile) continue;
          const Rank rank = distribution.owners[static_cast<std::size_t>(*tile)];
          of_a[static_cast<std::size_t>(k)].insert(rank);
          if (std::ranges::find(in_order, rank) == in_order.end()) in_order.push_back(rank);
        }
        EXPECT_EQ(owners.with_part_of(i, j), in_order);
      }
      for (const std::int32_t k : p.a.row(i))
        EXPECT_TRUE(std::ranges::equal(owners.with_product_of(i, k), of_a[static_cast<std::size_t>(k)]));
    }
  }
}

}  // namespace
}  // namespace foretile::owners_of_b_test
