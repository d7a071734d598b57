// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/block_sizes.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "planner/strategies/stream_bytes.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::block_sizes_test {
namespace {

constexpr std::int64_t kTile = 800;  // bytes of 10 x 10 elements

Contraction dense(std::int32_t m, std::int32_t n, std::int32_t k) {
  return {"dense",
          Tiling::uniform(10 * m, 10),
          Tiling::uniform(10 * n, 10),
          Tiling::uniform(10 * k, 10),
          Shape::dense(m, k),
          Shape::dense(k, n),
          Shape::dense(m, n)};
}

std::string refusal(const Contraction& p, std::int64_t bytes, const BlockSizeWishes& wishes) {
  try {
    choose_block_sizes(p, {1, 1}, 1, bytes, wishes);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// 48^3 tiles, one device of 475: three quarters are 356. 48^2 and 24^2 = 576 are too many, 16^2 = 256 fits;
/// 9 blocks, so lookahead 2; 475 - 256 = 219 tiles hold 3 chunks of 32 d, d = 2.
TEST(BlockSizes, SeveralBlocksByHand) {
  const BlockSizes s = choose_block_sizes(dense(48, 48, 48), {1, 1}, 1, 475 * kTile, {});
  EXPECT_EQ(s.b, 16);
  EXPECT_EQ(s.c, 16);
  EXPECT_EQ(s.lookahead, 2);
  EXPECT_EQ(s.d, 2);
  EXPECT_EQ(s.X, 3);
  EXPECT_EQ(s.Y, 3);
  EXPECT_EQ(s.Z, 24);
  EXPECT_EQ(s.step(1, 2, 3), (2 * 3 + 1) * 24 + 3);
}

/// 120 tiles on 4 x 4 ranks of 6 devices with 475: 30 * 30 / 6 = 150 tiles of C stay, lookahead 1; 325 tiles
/// hold 2 chunks of 35 d: d = 4 (280).
TEST(BlockSizes, OneBlockByHand) {
  const BlockSizes s = choose_block_sizes(dense(120, 120, 120), {4, 4}, 6, 475 * kTile, {});
  EXPECT_EQ(s.b, 30);
  EXPECT_EQ(s.c, 30);
  EXPECT_EQ(s.lookahead, 1);
  EXPECT_EQ(s.d, 4);
  EXPECT_EQ(s.steps(), 30);
}

/// 4^2 tiles of C, K of 10. With 30 tiles 14 are left, but two chunks need 16, so blocks of 2 x 2, with
/// 4 + 3 * 4 d <= 30: d = 2. With 40 tiles C may stay: 16 + 2 * 8 d <= 40: d = 1.
TEST(BlockSizes, RoomForTwoChunksComesBeforeLargeBlocks) {
  const BlockSizes s = choose_block_sizes(dense(4, 4, 10), {1, 1}, 1, 30 * kTile, {});
  EXPECT_EQ(s.b, 2);
  EXPECT_EQ(s.d, 2);
  EXPECT_EQ(choose_block_sizes(dense(4, 4, 10), {1, 1}, 1, 40 * kTile, {}).b, 4);
}

/// Chunks are evened out: d = 9 would fit 10 as 9 + 1, so it is 5 + 5. One block of 1 x 1: 1 + 2 * 2 d <= 37.
TEST(BlockSizes, DepthsAreEven) {
  const BlockSizes s = choose_block_sizes(dense(2, 1, 10), {1, 1}, 1, 37 * kTile, {{1}, {1}, {}, {1}});
  EXPECT_EQ(s.d, 5);
  EXPECT_EQ(s.Z, 2);
}

/// A rank of 4 rows, 8 columns, K of 6, where B stays: a column takes 4 + 6 tiles, a chunk of A 4 d. Of 39
/// tiles three quarters are 29: 8, 4 and 3 columns, 80, 40 and 30 tiles, are too many, 2 columns take 20.
/// There are several blocks, so lookahead is 2, and 3 chunks fit in the other 19 with d = 1; 2 chunks with d
/// = 2.
TEST(BlockSizes, WhereBStaysBlocksHaveAllRows) {
  BlockSizeWishes wishes;
  wishes.b_stays = true;
  const BlockSizes s = choose_block_sizes(dense(4, 8, 6), {1, 1}, 1, 39 * kTile, wishes);
  EXPECT_EQ(s.b, 4);
  EXPECT_EQ(s.c, 2);
  EXPECT_EQ(s.X, 1);
  EXPECT_EQ(s.Y, 4);
  EXPECT_EQ(s.lookahead, 2);
  EXPECT_EQ(s.d, 1);
  wishes.lookahead = 1;
  EXPECT_EQ(choose_block_sizes(dense(4, 8, 6), {1, 1}, 1, 39 * kTile, wishes).d, 2);
  // Two layers have 3 of the 6 tiles of a column: 7 for each, 28 for four of them.
  EXPECT_EQ(choose_block_sizes(dense(4, 8, 6), {1, 1, 2}, 1, 39 * kTile, wishes).c, 4);
}

/// The least is one column of 4 + 6 tiles and a chunk of 4: 14.
TEST(BlockSizes, SaysWhatAColumnOfBNeeds) {
  BlockSizeWishes wishes;
  wishes.b_stays = true;
  const std::string said = refusal(dense(4, 8, 6), 13 * kTile, wishes);
  EXPECT_NE(said.find("11200 bytes of B and C and of the tiles of A in flight"), std::string::npos) << said;
  EXPECT_NE(said.find("800 bytes are missing"), std::string::npos) << said;
  EXPECT_EQ(refusal(dense(4, 8, 6), 14 * kTile, wishes), "");
}

/// All of it: 1 + 10 + 10 tiles. One chunk is all there is, whatever the lookahead.
TEST(BlockSizes, OneChunkNeedsNoRoomForOthers) {
  const BlockSizes s = choose_block_sizes(dense(1, 1, 10), {1, 1}, 1, 21 * kTile, {{}, {}, {}, {7}});
  EXPECT_EQ(s.d, 10);
  EXPECT_EQ(s.lookahead, 7);
}

TEST(BlockSizes, FewerColumnsThanDevices) {
  const BlockSizes s = choose_block_sizes(dense(5, 2, 3), {2, 1}, 4, 3 * kTile, {});
  EXPECT_EQ(s.b, 1);
  EXPECT_EQ(s.c, 2);
  EXPECT_EQ(s.d, 1);
  EXPECT_EQ(s.lookahead, 0);
}

TEST(BlockSizes, LargeWishesMeanAsLargeAsTheMatrices) {
  const BlockSizes s = choose_block_sizes(dense(5, 6, 7), {2, 1}, 1, 1000 * kTile, {{99}, {99}, {99}, {}});
  EXPECT_EQ(s.b, 3);
  EXPECT_EQ(s.c, 6);
  EXPECT_EQ(s.d, 7);
  EXPECT_EQ(s.steps(), 1);
}

TEST(BlockSizes, SmallBudgetsLowerLookaheadBeforeTheyAreRefused) {
  EXPECT_EQ(choose_block_sizes(dense(4, 4, 4), {1, 1}, 1, 7 * kTile, {}).lookahead, 2);  // 1 + 3 * 2
  EXPECT_EQ(choose_block_sizes(dense(4, 4, 4), {1, 1}, 1, 6 * kTile, {}).lookahead, 1);
  EXPECT_EQ(choose_block_sizes(dense(4, 4, 4), {1, 1}, 1, 4 * kTile, {}).lookahead, 0);
  EXPECT_EQ(choose_block_sizes(dense(4, 4, 4), {1, 1}, 1, 3 * kTile, {}).lookahead, 0);
  const std::string said = refusal(dense(4, 4, 4), 3 * kTile - 5, {});
  EXPECT_NE(said.find("5 bytes are missing: tile the problem finer"), std::string::npos) << said;
}

/// 2 x 2 tiles of C and chunks of 4 d: with d = 2, 4 + 8 = 12 tiles, with lookahead 1 and d = 1 too.
TEST(BlockSizes, SaysWhichWishesAreTooLarge) {
  const std::string said = refusal(dense(4, 4, 4), 11 * kTile, {{2}, {2}, {2}, {}});
  EXPECT_NE(said.find("800 bytes are missing: lower b, c, d,"), std::string::npos) << said;
  EXPECT_EQ(refusal(dense(4, 4, 4), 12 * kTile, {{2}, {2}, {2}, {}}), "");
  const std::string of_lookahead = refusal(dense(4, 4, 4), 11 * kTile, {{2}, {2}, {}, {1}});
  EXPECT_NE(of_lookahead.find("800 bytes are missing: lower b, c, lookahead,"), std::string::npos);
  // 2 tiles of C, chunks of 3 d. One row less than one is none.
  const std::string of_one_row = refusal(dense(4, 4, 4), 7 * kTile, {{1}, {2}, {2}, {}});
  EXPECT_NE(of_one_row.find("800 bytes are missing: lower c, d,"), std::string::npos) << of_one_row;
  const std::string of_d = refusal(dense(4, 4, 4), 3 * kTile, {{}, {}, {2}, {}});
  EXPECT_NE(of_d.find("1600 bytes are missing: lower d,"), std::string::npos) << of_d;
}

/// Whoever says all gets it: the verifier counts what successive chunks really need.
TEST(BlockSizes, LeavesFullWishesToTheVerifier) {
  const BlockSizes s = choose_block_sizes(dense(4, 4, 4), {1, 1}, 1, kTile, {{2}, {3}, {2}, {1}});
  EXPECT_EQ(std::tuple(s.b, s.c, s.d, s.lookahead), std::tuple(2, 3, 2, 1));
}

/// 4 x 4 tiles each: 48 tiles are owned. A chunk of depth d takes 8 d more at the least, with lookahead 1
/// twice that.
TEST(BlockSizes, HostMemoryMakesChunksShallower) {
  const auto depth = [](std::int64_t host_tiles) {
    BlockSizeWishes wishes{{4}, {4}, {}, {1}};
    wishes.host_bytes = host_tiles * kTile;
    return choose_block_sizes(dense(4, 4, 4), {1, 1}, 1, 1000 * kTile, wishes).d;
  };
  EXPECT_EQ(depth(48 + 32), 4);
  EXPECT_EQ(depth(48 + 31), 1);
  EXPECT_EQ(depth(10), 1);  // too little whatever is chosen: the verifier says so
}

/// With C of two blocks at once (lookahead 1): 2 + 2 * 2 tiles instead of 1 + 2 * 2.
TEST(BlockSizes, PrefetchedBlocksCount) {
  const BlockSizeWishes wishes{{1}, {1}, {}, {1}, 0.75, true};
  EXPECT_NE(refusal(dense(4, 4, 4), 5 * kTile, wishes).find("prefetch_c"), std::string::npos);
  EXPECT_EQ(refusal(dense(4, 4, 4), 6 * kTile, wishes), "");
}

/// From the largest tiles of A, B and C upwards there is a choice, below it may be refused only.
TEST(BlockSizes, OneTileOfEachIsEnoughForRandomCases) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase c = random_case(seed);
    const Contraction& p = c.problem;
    std::int64_t a = 0, b = 0, in_c = 0;
    for (TileId t = 0; t < p.a.nonzeros(); ++t) a = std::max(a, p.a_bytes(t));
    for (TileId t = 0; t < p.b.nonzeros(); ++t) b = std::max(b, p.b_bytes(t));
    for (TileId t = 0; t < p.c.nonzeros(); ++t) in_c = std::max(in_c, p.c_bytes(t));
    const ProcessGrid grid{1 + static_cast<int>(seed % 3), 1 + static_cast<int>(seed % 4)};
    for (const std::int64_t more : {0, 1, 500, 5000}) {
      const std::int64_t bytes = a + b + in_c + more;
      const BlockSizes s = choose_block_sizes(p, grid, c.machine.devices_per_rank, bytes, {});
      EXPECT_GE(std::min({s.b, s.c, s.d, s.X, s.Y, s.Z}), 1);
      EXPECT_LE(block_bytes(p, {grid, c.machine.devices_per_rank, s.b, s.c}), bytes);
    }
  }
}

/// 6 devices: 68 x 12 = 816 in one row, 34 x 23 = 782 in two, 23 x 34 = 782 in three, 12 x 68 in six. 66
/// columns divide by 6. For 67 x 10 on 2 devices one row is exact.
TEST(BestDeviceRows, IsOneUnlessTheRemainderCostsMore) {
  EXPECT_EQ(best_device_rows(68, 68, 6), 2);
  EXPECT_EQ(best_device_rows(68, 66, 6), 1);
  EXPECT_EQ(best_device_rows(67, 10, 2), 1);
  EXPECT_EQ(best_device_rows(10, 67, 2), 2);
  EXPECT_EQ(best_device_rows(68, 68, 5), 1);
  EXPECT_EQ(best_device_rows(12, 1, 6), 6);
}

/// Bytes counted tile by tile, without groups and sums.
TEST(StreamBytes, EqualsTheDefinitionForRandomCases) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Contraction p = random_small_contraction(random);
    const int down = static_cast<int>(random.integer(1, 3));
    const int across = static_cast<int>(random.integer(1, 4));
    const Blocking at{{static_cast<int>(random.integer(1, 3)), static_cast<int>(random.integer(1, 3))},
                      down * across,
                      static_cast<std::int32_t>(random.integer(1, 4)),
                      static_cast<std::int32_t>(random.integer(1, 4)),
                      down};
    const auto d = static_cast<std::int32_t>(random.integer(1, 4));
    const auto of_row = [&](std::int32_t i) {
      return std::tuple(i % at.grid.p, at.x(i), i / at.grid.p % down);
    };
    const auto of_column = [&](std::int32_t j) {
      return std::tuple(j % at.grid.q, at.y(j), j / at.grid.q % across);
    };
    std::vector<std::int64_t> chunks((p.k.tiles() + d - 1) / d);
    std::int64_t block = 0;
    for (std::int32_t i = 0; i < p.m.tiles(); ++i) {
      for (std::int32_t j = 0; j < p.n.tiles(); ++j) {
        std::int64_t in_c = 0;
        std::vector<std::int64_t> inputs(chunks.size());
        for (std::int32_t row = 0; row < p.m.tiles(); ++row) {
          if (of_row(row) != of_row(i)) continue;
          for (std::int32_t column = 0; column < p.n.tiles(); ++column) {
            if (of_column(column) == of_column(j) && p.c.contains(row, column)) {
              in_c += 8 * p.m.size(row) * p.n.size(column);
            }
          }
          for (const std::int32_t k : p.a.row(row)) inputs[k / d] += 8 * p.m.size(row) * p.k.size(k);
        }
        for (std::int32_t column = 0; column < p.n.tiles(); ++column) {
          if (of_column(column) != of_column(j)) continue;
          for (const std::int32_t k : p.b.column(column)) inputs[k / d] += 8 * p.k.size(k) * p.n.size(column);
        }
        block = std::max(block, in_c);
        for (std::size_t z = 0; z < chunks.size(); ++z) chunks[z] = std::max(chunks[z], inputs[z]);
      }
    }
    EXPECT_EQ(block_bytes(p, at), block);
    EXPECT_EQ(StreamBytes(p, at).chunks(d), chunks);
  }
}

}  // namespace
}  // namespace foretile::block_sizes_test
