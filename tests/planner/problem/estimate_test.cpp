// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/estimate.hpp"

#include <gtest/gtest.h>

#include "tests/planner/random_case.hpp"

namespace foretile::estimate_test {
namespace {

/// Column 0 of A has 2 tiles and row 0 of B 3: 6 products. Column 1 has 1 and row 1 has 1: 1. Row 2 of B is
/// empty.
TEST(Estimate, CountsProductsByTheColumnsOfA) {
  const Shape a(2, 3, {{0, 0}, {1, 0}, {0, 1}, {1, 2}});
  const Shape b(3, 3, {{0, 0}, {0, 1}, {0, 2}, {1, 2}});
  EXPECT_EQ(product_bound(a, b), 7);
}

TEST(Estimate, IsAnUpperBoundOfThePlansProducts) {
  int exact = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Contraction p = random_case(seed).problem;
    const std::int64_t gemms = traits(p).gemms;
    EXPECT_GE(estimate_planning(p).products, gemms);
    const bool keeps_all = p.c.nonzeros() == symbolic_product(p.a, p.b, 0).nonzeros();
    if (!keeps_all) continue;
    ++exact;
    EXPECT_EQ(estimate_planning(p).products, gemms);
  }
  EXPECT_GE(exact, 30);
}

/// 150 ns per product; 32 MB, and 100 bytes for each of the 3 x 400^2 tiles.
TEST(Estimate, WarnsOfLongPlanningAlone) {
  EXPECT_EQ(planning_warning({66'000'000, 9.9, 1e9}), "");
  EXPECT_EQ(planning_warning(estimate_planning(560'000'000)),
            "about 5.6e+08 products: planning may take 84 s");
  const Tiling tiling = Tiling::uniform(400, 1);
  const Shape shape = Shape::dense(400, 400);
  const PlanningEstimate estimate = estimate_planning({"", tiling, tiling, tiling, shape, shape, shape, 0});
  EXPECT_EQ(estimate.products, 64'000'000);
  EXPECT_DOUBLE_EQ(estimate.seconds, 9.6);
  EXPECT_DOUBLE_EQ(estimate.bytes, 80e6);
}

}  // namespace
}  // namespace foretile::estimate_test
