// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/tensor_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace foretile::tensor_blocks_test {
namespace {

using Tuples = std::vector<TileTuple>;

Tuples all_of(const TensorBlocks& blocks) {
  Tuples all;
  for (BlockId block = 0; block < blocks.count(); ++block) all.push_back(blocks.tiles(block));
  return all;
}

/// V[ab|i] with a and b antisymmetric, of three tiles of 2, 3 and 4: of the nine pairs six are stored, and
/// their elements are 4 + 6 + 8 + 9 + 12 + 16, each twice for the two tiles of i.
TEST(TensorBlocks, OfAnAntisymmetricPairByHand) {
  const std::vector<LabelledTiles> tiles{{{2, 3, 4}}, {{1, 1}}};
  const TensorBlocks blocks({{0, 0, 1}, 2, {{0, 1}, {2}}}, tiles, "V");
  EXPECT_EQ(all_of(blocks), (Tuples{{0, 0, 0},
                                    {0, 0, 1},
                                    {0, 1, 0},
                                    {0, 1, 1},
                                    {0, 2, 0},
                                    {0, 2, 1},
                                    {1, 1, 0},
                                    {1, 1, 1},
                                    {1, 2, 0},
                                    {1, 2, 1},
                                    {2, 2, 0},
                                    {2, 2, 1}}));
  EXPECT_EQ(blocks.elements(), 110);
  const auto place = blocks.find({2, 0, 1});
  ASSERT_TRUE(place);
  EXPECT_EQ(blocks.tiles(place->block), (TileTuple{0, 2, 1}));
  EXPECT_TRUE(place->order.negative);
  EXPECT_EQ(place->order.from[0], 1);
  EXPECT_EQ(place->order.from[1], 0);
  EXPECT_EQ(place->order.from[2], 2);
  EXPECT_TRUE(blocks.find({1, 1, 0})->order.is_identity());
}

/// t[a1,a2,i1,i2] = t[a2,a1,i2,i1] with two tiles of a (2, 3) and of i (1, 4): of sixteen blocks the four
/// with equal tiles in both pairs are their own images, so ten are stored. Elements: (25 * 25 + (4 + 9) *
/// (1 + 16)) / 2 = 423.
TEST(TensorBlocks, OfEqualPairsByHand) {
  const std::vector<LabelledTiles> tiles{{{2, 3}}, {{1, 4}}};
  const TensorBlocks blocks({{0, 0, 1, 1}, 1, {{0}, {1}, {2}, {3}}, false, {1, 0, 3, 2}}, tiles, "t");
  EXPECT_EQ(all_of(blocks), (Tuples{{0, 0, 0, 0},
                                    {0, 0, 0, 1},
                                    {0, 0, 1, 1},
                                    {0, 1, 0, 0},
                                    {0, 1, 0, 1},
                                    {0, 1, 1, 0},
                                    {0, 1, 1, 1},
                                    {1, 1, 0, 0},
                                    {1, 1, 0, 1},
                                    {1, 1, 1, 1}}));
  EXPECT_EQ(blocks.elements(), 423);
  const auto place = blocks.find({1, 0, 0, 1});
  ASSERT_TRUE(place);
  EXPECT_EQ(blocks.tiles(place->block), (TileTuple{0, 1, 1, 0}));
  EXPECT_FALSE(place->order.negative);
  for (const std::size_t p : {0, 1, 2, 3}) EXPECT_EQ(place->order.from.at(p), (std::array{1, 0, 3, 2}.at(p)));
  EXPECT_TRUE(blocks.find({0, 1, 1, 0})->order.is_identity());
  EXPECT_FALSE(blocks.stores({1, 0, 0, 1}));
}

/// X[a1,a2] in slices along a1, which has tiles of 2, 3, 1 and 4, a2 tiles of 1 and 1. Of 20 elements the
/// middles of the tiles of a1 are at 2, 7, 11 and 16: two slices have {2, 3} and {1, 4}, three have {2},
/// {3, 1} and {4}.
TEST(TensorBlocks, OfSlicesByHand) {
  const std::vector<LabelledTiles> tiles{{{2, 3, 1, 4}}, {{1, 1}}};
  const auto first_tiles = [&](std::size_t part, std::size_t parts) {
    const TensorBlocks blocks({{0, 1}, 1, {{0}, {1}}, false, {}, TensorSlice{{0}, part, parts}}, tiles, "X");
    std::vector<std::int32_t> found;
    for (BlockId block = 0; block < blocks.count(); block += 2) found.push_back(blocks.tiles(block)[0]);
    return found;
  };
  using Found = std::vector<std::int32_t>;
  EXPECT_EQ(first_tiles(0, 2), (Found{0, 1}));
  EXPECT_EQ(first_tiles(1, 2), (Found{2, 3}));
  EXPECT_EQ(first_tiles(0, 3), (Found{0}));
  EXPECT_EQ(first_tiles(1, 3), (Found{1, 2}));
  EXPECT_EQ(first_tiles(2, 3), (Found{3}));
}

/// Along a1 with tiles of 1, 1, 1 and 20 the middles of all but the last would be in the first of four
/// slices: each slice has one all the same. Five are too many.
TEST(TensorBlocks, LeaveNoSliceEmpty) {
  const std::vector<LabelledTiles> tiles{{{1, 1, 1, 20}}};
  const auto slice = [&](std::size_t part, std::size_t parts) {
    return TensorBlocks({{0}, 1, {{0}}, false, {}, TensorSlice{{0}, part, parts}}, tiles, "X");
  };
  for (std::size_t part = 0; part < 4; ++part)
    EXPECT_EQ(all_of(slice(part, 4)), (Tuples{{static_cast<std::int32_t>(part)}}));
  EXPECT_THROW(slice(0, 5), InputError);
}

/// T[a|i] with one tile of each spin: alpha alpha is stored, beta beta equals it, and mixed spins are 0.
TEST(TensorBlocks, OfAClosedShellByHand) {
  const std::vector<LabelledTiles> tiles{with_spins({5}), with_spins({2})};
  const TensorBlocks blocks({{0, 1}, 1, {{0}, {1}}, true}, tiles, "T");
  EXPECT_EQ(all_of(blocks), (Tuples{{0, 0}}));
  EXPECT_EQ(blocks.find({1, 1})->block, 0);
  EXPECT_FALSE(blocks.find({0, 1}));
  EXPECT_EQ(TensorBlocks({{0, 1}, 1, {{0}, {1}}}, tiles, "T").count(), 2);
}

/// Irreps 0 and 1: a tile of each. Their product must be 0, so all three may be 0, or two of them 1.
TEST(TensorBlocks, OfIrrepsByHand) {
  const std::vector<LabelledTiles> tiles{{{2, 2}, false, {0, 1}}};
  const TensorBlocks blocks({{0, 0, 0}, 2, {{0}, {1}, {2}}}, tiles, "V");
  EXPECT_EQ(all_of(blocks), (Tuples{{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}));
}

TEST(TensorBlocks, SomeMayBeKept) {
  const std::vector<LabelledTiles> tiles{{{2, 3}}};
  TensorBlocks blocks({{0, 0}, 1, {{0}, {1}}}, tiles, "V");
  blocks.set_norm(3, 0.5F);
  blocks.keep({1, 3});
  EXPECT_EQ(all_of(blocks), (Tuples{{0, 1}, {1, 1}}));
  EXPECT_FALSE(blocks.find({0, 0}));
  EXPECT_EQ(blocks.norm(blocks.find({1, 1})->block), 0.5F);
}

/// Antisymmetric in three: of tiles 2, 0, 1 the order 0, 1, 2 takes two exchanges, so the sign stays.
TEST(TensorBlocks, SignsAreThoseOfThePermutation) {
  const std::vector<LabelledTiles> tiles{{{1, 1, 1}}};
  const TensorBlocks blocks({{0, 0, 0}, 3, {{0, 1, 2}}}, tiles, "W");
  EXPECT_EQ(blocks.count(), 10);
  const auto place = blocks.find({2, 0, 1});
  EXPECT_FALSE(place->order.negative);
  // Stored axes are tiles 0, 1, 2; the one asked for has tile 2 first.
  EXPECT_EQ(place->order.from[0], 2);
  EXPECT_EQ(place->order.from[1], 0);
  EXPECT_EQ(place->order.from[2], 1);
}

TEST(TensorBlocks, TooManyAreRefused) {
  const std::vector<LabelledTiles> tiles{{std::vector<std::int64_t>(100, 1)}};
  EXPECT_THROW(TensorBlocks({{0, 0, 0, 0}, 2, {{0}, {1}, {2}, {3}}}, tiles, "V"), InputError);
}

TEST(LabelledTiles, AreMadeEven) {
  EXPECT_EQ(even_extents(10, 3), (std::vector<std::int64_t>{3, 3, 4}));
  const std::vector<std::int64_t> many = even_extents(max_extent - 1, 30'000);
  EXPECT_EQ(std::accumulate(many.begin(), many.end(), std::int64_t{0}), max_extent - 1);
  const auto [least, most] = std::ranges::minmax(many);
  EXPECT_EQ(most, least + 1);
  const LabelledTiles tiles = even_spin_tiles(10, 4);
  EXPECT_EQ(tiles.extents, (std::vector<std::int64_t>{3, 3, 4, 3, 3, 4}));
  EXPECT_FALSE(tiles.is_beta(2));
  EXPECT_TRUE(tiles.is_beta(3));
  EXPECT_EQ(tiles.partner(4), 1);
  EXPECT_EQ(tiles.of(Spin::beta), (std::vector<std::int64_t>{3, 3, 4}));
}

TEST(TileTuples, DoNotDecreaseAlongAGroupInAnyOrder) {
  const std::vector<LabelledTiles> tiles{{{1, 1, 1}}};
  const TileRanges ranges = ranges_of({0, 0}, tiles);
  EXPECT_EQ(ordered_tuples(ranges, {{1, 0}}, "x"), (Tuples{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}}));
  EXPECT_EQ(ordered_tuples({}, {}, "x"), Tuples{{}});
}

}  // namespace
}  // namespace foretile::tensor_blocks_test
