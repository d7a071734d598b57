// SPDX-License-Identifier: BSD-3-Clause
// Plans of owner-b. That they are correct is the verifier's business; that they are what the paper says, and
// good, is checked here.
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/all_distributions.hpp"
#include "tests/planner/dense_product.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::owner_b_test {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

std::vector<Rank> ranks(std::initializer_list<int> numbers) {
  std::vector<Rank> list;
  for (const int number : numbers) list.push_back(Rank::of(number));
  return list;
}

/// 1 x 3 tiles of A, 3 x 2 of B and 1 x 2 of C on 3 ranks: rank r has row r of B, tile r of A, and rank 0 and
/// 1 the tiles of C. Nothing of A travels; the sum of C_0 goes 2 -> 1 -> 0, that of C_1, whose owner is rank
/// 1, goes 0
/// -> 2 -> 1.
TEST(OwnerB, SumsAlongAChain) {
  const Contraction p = dense_product(2, 4, 6, 2);
  const Plan plan = make_plan(p, small_machine(3, 1, kPlenty, kPlenty), {{"strategy", "owner-b"}});
  for (const RankPlan& rank : plan.ranks) {
    EXPECT_TRUE(rank.transfers.empty());
    ASSERT_EQ(rank.devices[0].blocks.size(), 1U);
    EXPECT_EQ(rank.devices[0].blocks[0].columns.size(), 2U);
    ASSERT_EQ(rank.sums.size(), 2U);
  }
  EXPECT_EQ(plan.ranks[0].sums[0].from, ranks({2}));
  EXPECT_EQ(plan.ranks[1].sums[0].to, Rank::of(2));
  EXPECT_EQ(plan.ranks[2].sums[0].from, ranks({1}));
  EXPECT_EQ(plan.ranks[0].sums[1].to, Rank::of(2));
  EXPECT_EQ(plan.ranks[2].sums[1].to, Rank::of(1));
  EXPECT_EQ(plan.ranks[1].sums[1].from, ranks({2}));
  EXPECT_FALSE(plan.ranks[1].sums[1].to);
}

/// B never travels: A goes to those with its rows of B, C to its owner. With whole columns on a rank nothing
/// is summed, and with C distributed likewise nothing of C travels.
TEST(OwnerB, MovesWhatTheDistributionsAskFor) {
  const Contraction p = dense_product(6, 12, 12, 2);  // tiles of 32 bytes: 18 of A, 36 of B, 18 of C
  const Machine machine = small_machine(3, 1, kPlenty, kPlenty);
  const auto moved = [&](Settings settings) {
    settings["strategy"] = "owner-b";
    return verify(make_plan(p, machine, settings), p).network_bytes / 32;
  };
  // Rank r has rows 2 r and 2 r + 1 of B and row r of A: 4 of its 6 tiles of A go to another rank. Row i of C
  // is rank i's, and its 6 tiles come from two others.
  EXPECT_EQ(moved({}), 3 * 4 + 18 * 2);
  // A rank has two columns of B and of C; its 6 tiles of A go to both others.
  const Settings cyclic{
      {"distribution.a", "cyclic"}, {"distribution.b", "cyclic"}, {"distribution.c", "cyclic"}};
  EXPECT_EQ(moved(cyclic), 18 * 2);
}

/// A rank begins with the columns of A that it has, then takes what comes.
TEST(OwnerB, BeginsWithOwnTilesOfA) {
  const Contraction p = dense_product(4, 12, 12, 2);
  Settings settings{{"strategy", "owner-b"}, {"distribution.b", "cyclic"}, {"distribution.a", "cyclic"}};
  const Plan plan = make_plan(p, small_machine(3, 1, kPlenty, kPlenty), settings);
  const Block& block = plan.ranks[1].devices[0].blocks[0];
  std::vector<std::int32_t> ks;
  for (const Chunk& chunk : block.chunks) {
    for (const TileId a : chunk.a) {
      if (ks.empty() || ks.back() != p.a.column_of(a)) ks.push_back(p.a.column_of(a));
    }
  }
  EXPECT_EQ(ks, (std::vector<std::int32_t>{1, 4, 0, 2, 3, 5}));
}

/// Tiles of B that the rank's devices load: of each block, its rows of B times its columns.
std::size_t loaded_of_b(const Contraction& p, const RankPlan& rank) {
  std::size_t tiles = 0;
  for (const DevicePlan& device : rank.devices) {
    for (const Block& block : device.blocks) {
      std::set<std::int32_t> ks;
      for (const Chunk& chunk : block.chunks) {
        for (const TileId a : chunk.a) ks.insert(p.a.column_of(a));
      }
      tiles += ks.size() * block.columns.size();
    }
  }
  return tiles;
}

/// B goes to a device once where C of a rank fits it: 36 tiles. A device has 4 x 6 tiles of C; with room for
/// 8 tiles, and chunks of an A and a B, it is loaded more often.
TEST(OwnerB, LoadsBOnce) {
  const Contraction p = dense_product(8, 24, 24, 2);
  const auto plan_with = [&](std::int64_t tiles) {
    return make_plan(p, small_machine(4, 2, 32 * tiles, kPlenty), {{"strategy", "owner-b"}});
  };
  for (const RankPlan& rank : plan_with(60).ranks) EXPECT_EQ(loaded_of_b(p, rank), 36U);
  for (const RankPlan& rank : plan_with(8).ranks) EXPECT_GT(loaded_of_b(p, rank), 36U);
}
TEST(OwnerB, RefusesWhatCannotBe) {
  const Contraction p = dense_product(8, 8, 8, 2);
  const auto refusal = [&](Settings settings, std::int64_t host_bytes = kPlenty) {
    settings["strategy"] = "owner-b";
    try {
      const Plan plan = make_plan(p, small_machine(4, 1, kPlenty, host_bytes), settings);
      verify(plan, p);
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  for (const auto& [key, value, expected] :
       {std::tuple("grid", "2x2x1", "1xQxR with Q R = 4"),
        {"grid", "1x2x1", "1xQxR with Q R = 4"},
        {"grid", "1x65536x65536", "1xQxR with Q R = 4"},
        {"distribution.b", "rows", "one of contiguous, cyclic, table:FILE"},
        {"distribution.b", "table:/nowhere", "/nowhere"},
        {"tree", "scatter", "one of chain, binomial"}}) {
    const std::string said = refusal({{key, value}});
    EXPECT_NE(said.find(expected), std::string::npos) << key << "=" << value << ": " << said;
  }
  // Each rank owns 4 tiles of each matrix, gets the 3 others of its row of B's A, has parts of all 16 tiles
  // of C, and 16 that come from the rank before it; its own 4 of C are apart only where they are read.
  const std::int64_t needed = 32 * (4 + 4 + 3 + 16 + 12 + 4);
  EXPECT_EQ(refusal({}, needed), "");
  EXPECT_NE(refusal({}, needed / 2).find(" are missing"), std::string::npos);
}

}  // namespace
}  // namespace foretile::owner_b_test
