// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/products.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "tests/planner/random_case.hpp"

namespace foretile::products_test {
namespace {

/// A is 1 x 2 and full, B is [x 0 x; 0 x x], C keeps columns 0 and 2. In columns {0, 2} tile A(0,1) meets
/// B(1,2) alone; A(0,0) meets B(0,0) and B(0,2).
TEST(BlockProducts, ByHand) {
  const Contraction p{"",
                      Tiling::uniform(1, 1),
                      Tiling::uniform(3, 1),
                      Tiling::uniform(2, 1),
                      Shape::dense(1, 2),
                      Shape(2, 3, {{0, 0}, {0, 2}, {1, 1}, {1, 2}}),
                      Shape(1, 3, {{0, 0}, {0, 2}}),
                      0};
  const std::vector<std::int32_t> columns{0, 2};
  const BlockProducts products(p, columns);
  EXPECT_EQ(products.b_slots(), 3);
  EXPECT_EQ(products.c_slots(), 2);
  std::vector<std::tuple<int, int, int, TileId, TileId>> seen;
  for (TileId a = 0; a < 2; ++a)
    products.for_each(a, [&](const Product& x) { seen.emplace_back(x.i, x.j, x.k, x.b, x.c); });
  EXPECT_EQ(seen, (decltype(seen){{0, 0, 0, 0, 0}, {0, 2, 0, 1, 1}, {0, 2, 1, 3, 1}}));
}

/// Every pair A_ik B_kj with j among the columns and ij in C, columns increasing, slots that name the tiles.
TEST(BlockProducts, EqualTheDefinition) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Contraction p = random_small_contraction(random);
    std::vector<std::int32_t> columns;
    for (std::int32_t j = 0; j < p.n.tiles(); ++j) {
      if (random.integer(0, 1) == 1) columns.push_back(j);
    }
    const BlockProducts products(p, columns);
    for (TileId a = 0; a < p.a.nonzeros(); ++a) {
      const std::int32_t i = p.a.row_of(a);
      const std::int32_t k = p.a.column_of(a);
      std::vector<std::int32_t> expected;
      for (const std::int32_t j : columns) {
        if (p.b.contains(k, j) && p.c.contains(i, j)) expected.push_back(j);
      }
      std::vector<std::int32_t> found;
      products.for_each(a, [&](const Product& x) {
        found.push_back(x.j);
        EXPECT_EQ(std::pair(x.i, x.k), std::pair(i, k));
        EXPECT_EQ(p.b.find(x.k, x.j), x.b);
        EXPECT_EQ(p.c.find(x.i, x.j), x.c);
        EXPECT_EQ(products.b_id(x.b_slot), x.b);
        EXPECT_EQ(products.c_id(x.c_slot), x.c);
      });
      EXPECT_EQ(found, expected);
      EXPECT_EQ(products.any(a), !expected.empty());
    }
  }
}

}  // namespace
}  // namespace foretile::products_test
