// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/pair_fusion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"

namespace foretile::pair_fusion_test {
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

// Orbitals at 0, 1 | 2, 9 | 3, tiles (0, 0) of 4, (0, 1) of 1, (0, 2) of 2, (1, 0) of 3 pairs. The tile of 1
// joins the smaller of its two neighbours, (0, 2). Its second cluster, number 3, is {2, 4}: orbital 3 at 9 is
// in no pair.
TEST(PairFusion, SmallTilesJoinTheSmallerNeighbour) {
  ClusteredCentres orbitals{
      {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {9, 0, 0}, {3, 0, 0}}, {1, 1, 1, 1, 1}, {{0, 1}, {2, 3}, {4}}};
  std::vector<PairTile> tiles{{0, 0, 4}, {0, 1, 1}, {0, 2, 2}, {1, 0, 3}};
  join_small_tiles(tiles, orbitals, 3, 2, 4);
  ASSERT_EQ(tiles.size(), 3U);
  EXPECT_EQ(tiling_of(tiles).cuts(), (std::vector<std::int64_t>{0, 4, 7, 10}));
  EXPECT_EQ(tiles[1].first, 0);
  EXPECT_EQ(tiles[1].second, 3);
  EXPECT_EQ(orbitals.clusters.at(3), (std::vector<std::int32_t>{2, 4}));
}

// Neighbours have the same first cluster: (1, 0) is none of (0, 0). A joined tile may not exceed the bound.
TEST(PairFusion, SmallTilesWithoutAFitNeighbourAreAnError) {
  ClusteredCentres orbitals{{{0, 0, 0}, {1, 0, 0}}, {1, 1}, {{0}, {1}}};
  std::vector<PairTile> alone{{0, 0, 1}, {1, 0, 5}};
  EXPECT_THROW(join_small_tiles(alone, orbitals, 3, 2, 9), InputError);
  std::vector<PairTile> large{{0, 0, 1}, {0, 1, 5}};
  EXPECT_THROW(join_small_tiles(large, orbitals, 3, 2, 5), InputError);
}

}  // namespace
}  // namespace foretile::pair_fusion_test
