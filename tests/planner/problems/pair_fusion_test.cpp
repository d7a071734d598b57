#include "planner/problems/pair_fusion.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretile {
namespace {

// Orbitals at 0, 1 | 3: pairs at most 2 apart are all but (0, 3) and (3, 0).
TEST(PairFusion, KeepsPairsWithinTheCutoff) {
  const ClusteredCentres orbitals{{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}}, {1, 1, 1}, {{0, 1}, {2}}};
  const auto tiles = pairs_within(orbitals, 2.0);
  ASSERT_EQ(tiles.size(), 4U);
  EXPECT_EQ(tiling_of(tiles).cuts(), (std::vector<std::int64_t>{0, 4, 5, 6, 7}));
  const auto near = pairs_within(orbitals, 1.5);  // no pair across the clusters is left
  ASSERT_EQ(near.size(), 2U);
  EXPECT_EQ(near[1].first, 1);
  EXPECT_EQ(near[1].second, 1);
  EXPECT_EQ(near[1].pairs, 1);
}

TEST(PairFusion, AllPairsHaveTheProductOfSizes) {
  EXPECT_EQ(tiling_of(all_pairs({2, 3})).cuts(), (std::vector<std::int64_t>{0, 4, 10, 16, 25}));
}

// Cluster 0 is linked to 0 (1.0) and 1 (0.5), cluster 1 to 1 (1.0) only. Row (0, 1) has r in {0, 1}, s = 1:
// columns 0*2+1 and 1*2+1. Norms: 1 * 1 * sqrt(6 * 2 * 3), 0.5 * 1 * sqrt(6 * 3 * 3).
TEST(PairFusion, ShapeIsTheProductOfLinks) {
  const Links links{{{0, 1.0}, {1, 0.5}}, {{1, 1.0}}};
  const std::vector<PairTile> rows{{0, 1, 6}};
  const Shape shape = fused_shape(rows, links, {2, 3});
  EXPECT_EQ(shape.columns(), 4);
  ASSERT_EQ(shape.nonzeros(), 2);
  EXPECT_EQ(fused_tiles(rows, links), 2);
  EXPECT_FLOAT_EQ(shape.norm(*shape.find(0, 1)), std::sqrt(36.0F));
  EXPECT_FLOAT_EQ(shape.norm(*shape.find(0, 3)), 0.5F * std::sqrt(54.0F));
}

}  // namespace
}  // namespace foretile
