// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/owner_b/blocks.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/planner/dense_product.hpp"

namespace foretile::blocks_test {
namespace {

using Numbers = std::vector<std::int32_t>;

/// Three columns of two rows: device 0 gets two of them. Then device 1 has less, and even with column 3, of
/// one row, less than device 0.
TEST(Blocks, DistributesColumnsToDevices) {
  const Contraction p = dense_product(4, 10, 4, 2);
  const auto distributed = distribute_families(p, {{{0, 1, 2}, {0, 1}}, {{3, 4}, {1}}}, {1, 1});
  ASSERT_EQ(distributed[0].size(), 1U);
  EXPECT_EQ(distributed[0][0].columns, (Numbers{0, 2}));
  ASSERT_EQ(distributed[1].size(), 2U);
  EXPECT_EQ(distributed[1][0].columns, (Numbers{1}));
  EXPECT_EQ(distributed[1][1].columns, (Numbers{3, 4}));
  EXPECT_EQ(distributed[1][1].rows, (Numbers{1}));
}

/// Ten equal columns; device 1 is a quarter as fast. Device 0 is done with one after 1, 2, 3 and 4, device 1
/// after 4 and 8: ties go to device 0, so it has columns 0 to 3, then 5 to 8.
TEST(Blocks, DistributesColumnsBySpeed) {
  const Contraction p = dense_product(4, 20, 4, 2);
  const auto distributed = distribute_families(p, {{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 1}}}, {4, 1});
  EXPECT_EQ(distributed[0][0].columns, (Numbers{0, 1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(distributed[1][0].columns, (Numbers{4, 9}));
}

/// Tiles of 2 x 2 numbers, 32 bytes; 2 rows and 4 columns of C, 3 rows of B. With 1000 bytes and a lookahead
/// of 1: 90% hold all 8 tiles of C, 256 bytes, but 50 bytes are less than the 6 tiles of a k, 192 bytes; so
/// are 125 of 75%. With 50% both fit.
TEST(Blocks, TakesAllOfCWhereAChunkFitsBeside) {
  const Contraction p = dense_product(4, 8, 6, 2);
  const BlockCut cut = BlockCut::of(p, {{{0, 1, 2, 3}, {0, 1, 2}}}, 1, 1000, "here");
  EXPECT_EQ(cut.of_family[0].rows, 1);
  EXPECT_EQ(cut.of_family[0].columns, 1);
  EXPECT_EQ(cut.chunk_bytes, 250);
}

/// 600 bytes: 50% hold all of C, but 150 bytes no k of 192. With 2 parts of the columns 4 tiles of a k are
/// 128 bytes and A is loaded twice: 12 tiles of B and 2 x 6 of A. With 2 parts of the rows a k has 5 tiles,
/// 160 bytes, too many. 25% hold 4 tiles of C: the same.
TEST(Blocks, CutsWhatLoadsLeast) {
  const Contraction p = dense_product(4, 8, 6, 2);
  const BlockCut cut = BlockCut::of(p, {{{0, 1, 2, 3}, {0, 1, 2}}}, 1, 600, "here");
  EXPECT_EQ(cut.of_family[0].rows, 1);
  EXPECT_EQ(cut.of_family[0].columns, 2);
  EXPECT_EQ(cut.chunk_bytes, 150);
}

/// A tile of C and two chunks of two tiles take 160 bytes.
TEST(Blocks, SaysHowManyBytesAreMissing) {
  const Contraction p = dense_product(4, 8, 6, 2);
  const std::vector<ColumnFamily> families{{{0, 1, 2, 3}, {0, 1, 2}}};
  const BlockCut least = BlockCut::of(p, families, 1, 160, "here");
  EXPECT_EQ(least.of_family[0].rows, 2);
  EXPECT_EQ(least.of_family[0].columns, 4);
  EXPECT_EQ(least.chunk_bytes, 64);
  try {
    BlockCut::of(p, families, 1, 159, "here");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("here: found 160 bytes"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(" 1 bytes are missing"), std::string::npos) << error.what();
  }
}

/// Rows 2 and 0 of B, in that order; both fit a chunk of 12 tiles, one a chunk of 6.
TEST(Blocks, KeepsTheOrderOfRows) {
  const Contraction p = dense_product(4, 8, 6, 2);
  const ColumnFamily family{{0, 1, 2, 3}, {2, 0}};
  std::vector<Block> blocks;
  add_blocks(p, family, {1, 1}, 12 * 32, blocks);
  ASSERT_EQ(blocks.size(), 1U);
  ASSERT_EQ(blocks[0].chunks.size(), 1U);
  EXPECT_EQ(blocks[0].chunks[0].a, (std::vector<TileId>{2, 5, 0, 3}));
  add_blocks(p, family, {2, 2}, 3 * 32, blocks);
  ASSERT_EQ(blocks.size(), 5U);
  EXPECT_EQ(blocks[2].columns, (Numbers{0, 1}));
  ASSERT_EQ(blocks[2].chunks.size(), 2U);
  EXPECT_EQ(blocks[2].chunks[0].a, (std::vector<TileId>{5}));
}

/// 2 x 4 tiles of C and 3 of K: 24 products of 16 flop, 384. Of at most 24, less than a tile of C has, each
/// tile of C is a block: B is loaded twice, 2 x 48 elements, and A four times, 4 x 24.
TEST(Blocks, HaveNoMoreToMultiplyThanWanted) {
  const Contraction p = dense_product(4, 8, 6, 2);
  const std::vector<ColumnFamily> families{{{0, 1, 2, 3}, {0, 1, 2}}};
  const DenseWork all(p, families);
  EXPECT_DOUBLE_EQ(all.flops, 384);
  EXPECT_DOUBLE_EQ(all.a_elements, 24);
  EXPECT_DOUBLE_EQ(all.b_elements, 48);
  const BlockCut cut = BlockCut::of(p, families, 1, 100000, "here", 24);
  EXPECT_EQ(cut.of_family[0].columns, 4);
  EXPECT_EQ(cut.of_family[0].rows, 2);
  EXPECT_DOUBLE_EQ(cut.b_elements, 2 * 48);
  EXPECT_DOUBLE_EQ(cut.a_elements, 4 * 24);
}

/// With 100 flop a block has two tiles of C, 96. Two columns of one row load B for each row and A for each
/// pair of columns, 2 x 48 + 2 x 24 elements; a column of both rows loads B once and A four times, as much:
/// then rows are not cut.
TEST(Blocks, HaveWhatLoadsLeastOfWhatIsWanted) {
  const Contraction p = dense_product(4, 8, 6, 2);
  const BlockCut cut = BlockCut::of(p, {{{0, 1, 2, 3}, {0, 1, 2}}}, 1, 100000, "here", 100);
  EXPECT_EQ(cut.of_family[0].rows, 1);
  EXPECT_EQ(cut.of_family[0].columns, 4);
  EXPECT_DOUBLE_EQ(cut.b_elements, 48);
  EXPECT_DOUBLE_EQ(cut.a_elements, 4 * 24);
}

/// Two rows and four columns of C; chunks have one k, however large the memory.
TEST(Blocks, OfTilesAloneHaveChunksOfOneK) {
  const Contraction p = dense_product(4, 8, 6, 2);
  const std::vector<ColumnFamily> families{{{0, 1, 2, 3}, {0, 1, 2}}};
  const BlockCut cut = BlockCut::of_tiles(p, families, 1, 100000, "here");
  std::vector<Block> blocks;
  add_blocks(p, families[0], cut.of_family[0], cut.chunk_bytes, blocks);
  ASSERT_EQ(blocks.size(), 8U);
  for (const Block& block : blocks) {
    EXPECT_EQ(block.columns.size(), 1U);
    ASSERT_EQ(block.chunks.size(), 3U);
    for (const Chunk& chunk : block.chunks) EXPECT_EQ(chunk.a.size(), 1U);
  }
}

}  // namespace
}  // namespace foretile::blocks_test
