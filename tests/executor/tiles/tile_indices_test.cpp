// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/tile_indices.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace foretile::tile_indices_test {
namespace {

using Indices = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Extents and strides.
Indices indices(const std::vector<std::int64_t>& extents, const std::vector<int>& permutation) {
  const TileIndices found = tile_indices(extents, permutation);
  Indices all;
  for (std::size_t d = 0; d < found.count; ++d) all.emplace_back(found.of[d].extent, found.of[d].stride);
  return all;
}

/// `from` is 3 x 2: a step along its second index, which is the first of `to`, passes 3 elements.
TEST(TileIndices, OfATranspose) {
  EXPECT_EQ(indices({2, 3}, {1, 0}), (Indices{{2, 3}, {3, 1}}));
}

TEST(TileIndices, WithoutPermutationAllIsOneRow) {
  EXPECT_EQ(indices({2, 3, 4}, {}), (Indices{{24, 1}}));
  EXPECT_EQ(indices({2, 3, 4}, {0, 1, 2}), (Indices{{24, 1}}));
  EXPECT_EQ(indices({}, {}), (Indices{{1, 1}}));
  EXPECT_EQ(indices(std::vector<std::int64_t>(9, 2), {}), (Indices{{512, 1}}));
}

/// `from` is 4 x 2 x 3 with strides 1, 4, 8. Its last two indices are the first two of `to`, so they are one
/// index of extent 6, whose neighbours are 4 apart.
TEST(TileIndices, NeighboursInBothAreOneIndex) {
  EXPECT_EQ(indices({2, 3, 4}, {1, 2, 0}), (Indices{{6, 4}, {4, 1}}));
}

TEST(TileIndices, ExtentsOfOneAreLeftOut) {
  EXPECT_EQ(indices({1, 2, 1, 3}, {2, 3, 0, 1}), (Indices{{2, 3}, {3, 1}}));
  EXPECT_EQ(indices({1, 5}, {1, 0}), (Indices{{5, 1}}));
  EXPECT_EQ(indices({1, 1}, {1, 0}), (Indices{{1, 1}}));
}

TEST(TileIndices, NothingIsOneIndexOfExtentZero) {
  EXPECT_EQ(indices({2, 0, 3}, {2, 1, 0}), (Indices{{0, 1}}));
  EXPECT_EQ(tile_indices(std::vector<std::int64_t>{2, 0}, {}).elements(), 0);
}

TEST(TileIndices, RefuseNegativeExtents) {
  EXPECT_THROW(indices({2, -1}, {1, 0}), InputError);
  EXPECT_THROW(indices({-1}, {}), InputError);
}

}  // namespace
}  // namespace foretile::tile_indices_test
