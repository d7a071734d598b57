// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "planner/bound/bound.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/planner/dense_product.hpp"
#include "tests/planner/small_machine.hpp"
#include "tests/planner/unequal_tiles.hpp"

namespace foretile::plan_bound_test {
namespace {

/// Two ranks, one device each. A is 1 x 2 (tile k lives at rank k), B 2 x 2, C 1 x 2, all tiles 10 x 10 and
/// dense: 800 bytes. Rank 0 works on columns 0 and 1 in two blocks: the first with two chunks of one product,
/// the second with one chunk of two. Rank 1 only sends A tile 1. A product takes 2 ms, a copy 1 + 0.8 ms.
struct TwoBlocks {
  Contraction problem{"",
                      Tiling::uniform(10, 10),
                      Tiling::uniform(20, 10),
                      Tiling::uniform(20, 10),
                      Shape::dense(1, 2),
                      Shape::dense(2, 2),
                      Shape::dense(1, 2),
                      0};
  Plan plan;
  Machine machine = small_machine(2, 1, 10000, 10000);

  TwoBlocks() {
    plan.device_classes = {{DeviceKind::gpu, 10000}};
    plan.operands.b = kGeneratedAndStays;
    plan.grid = {1, 2};
    plan.ranks.resize(2);
    plan.ranks[0].devices = {{{{{0}, {{{0}}, {{1}}}}, {{1}, {{{0, 1}}}}}}};
    plan.ranks[1].devices.resize(1);
    plan.ranks[1].transfers = {{{1}, {0}}};
    machine.platform.device.kernel.rate_flops_per_s = 1e6;
    machine.platform.links.host_to_device = {1e-3, 1e6};
    machine.platform.links.device_to_host = {1e-3, 1e6};
  }
  Bound bound() const { return plan_bound(plan, problem, machine); }
};

/// Each block: B in 1.8, products 4. C of the second is written back in 1.8, that of the first beside the
/// second. B is made in 0.8 us.
TEST(PlanBound, BlocksFollowEachOther) {
  TwoBlocks example;
  EXPECT_NEAR(example.bound().seconds, 13.4008e-3, 1e-12);
  EXPECT_EQ(example.bound().limit, "the blocks of rank 0, device 0");
}

/// The message takes 5 ms + 800 bytes / 1e5 B/s = 13 ms; then one product and the second block: 2 + 1.8 + 4
/// + 1.8.
TEST(PlanBound, WhatAMessageBrings) {
  TwoBlocks example;
  example.machine.platform.network.message = {5e-3, 1e5};
  EXPECT_NEAR(example.bound().seconds, 22.6e-3, 1e-12);
  EXPECT_EQ(example.bound().limit, "a chain of messages and products");
}

/// B streams and C += A B. Loads overlap with products: 2 + 2 + 4, and C is written back. Barriers change
/// nothing.
TEST(PlanBound, WhereBStreams) {
  TwoBlocks example;
  example.problem.beta = 1;
  example.plan.operands.b = {};
  example.plan.ranks[1].transfers.clear();
  for (const Barriers barriers : {Barriers::none, Barriers::local, Barriers::global}) {
    example.plan.barriers = barriers;
    auto& blocks = example.plan.ranks[0].devices[0].blocks;
    blocks[0].chunks[1].step = 1;
    blocks[1].chunks[0].step = 2;
    EXPECT_NEAR(example.bound().seconds, 9.8e-3, 1e-12);
  }
}

/// Each copy takes 1 s of the manager. First block: A 2, B 2, C 1. Second: B 2, C 1, and of the 1600 bytes of
/// A at most 2000 - 800 can be there still, so that 400 are copied again: half a tile.
TEST(PlanBound, TilesThatTheMemoryCannotKeepComeAgain) {
  TwoBlocks example;
  example.machine.platform.runtime.copy_overhead_s = 1;
  EXPECT_NEAR(example.bound().seconds, 8, 0.1);
  example.plan.device_classes[0].memory_bytes = 2000;
  EXPECT_NEAR(example.bound().seconds, 8.5, 1e-9);
  example.plan.operands.b = {};  // now all of the memory may hold streaming tiles, but B comes again, too
  EXPECT_NEAR(example.bound().seconds, 8, 1e-9);
}

/// One message for each of two tiles; 1 s of software for each at either end. The owner sends for 2 s, then
/// the second one is received and has a product of 2 ms and its block behind it.
TEST(PlanBound, SoftwareOfMessagesAndWhatFollows) {
  TwoBlocks example;
  example.plan.grid = {1, 2};
  example.plan.ranks[0].devices = {{{{{0}, {{{0, 1}}}}}}};
  example.plan.operands.a.distribution = {DistributionKind::table, {1, 1}};
  example.plan.ranks[1].transfers = {{{0}, {0}}, {{1}, {0}}};
  example.machine.platform.runtime.message_overhead_s = 1;
  EXPECT_NEAR(example.bound().seconds, 2 + 1 + 2e-3 + 1.8e-3, 0.02);
  EXPECT_EQ(example.bound().limit, "software cost of messages of rank 1, and what follows");
}

/// One tile of A, 800 bytes at 1 kB/s, from rank 0 to ranks 1, 2 and 3: 0.8 s from rank to rank. Along a
/// chain it reaches rank 3 after three of them, along a binomial tree (0 -> 1 -> 3) after two.
TEST(PlanBound, FollowsTheTreeOfTheMessage) {
  const Contraction problem{"",
                            Tiling::uniform(10, 10),
                            Tiling::uniform(40, 10),
                            Tiling::uniform(10, 10),
                            Shape::dense(1, 1),
                            Shape::dense(1, 4),
                            Shape::dense(1, 4),
                            0};
  Plan plan;
  plan.operands.b = kGeneratedAndStays;
  plan.grid = {1, 4};
  for (std::int32_t rank = 0; rank < 4; ++rank) plan.ranks.push_back({{{{{{rank}, {{{0}}}}}}}, {}});
  plan.ranks[0].transfers = {{{0}, {1, 2, 3}}};
  Machine machine = small_machine(4, 1, 10000, 10000);
  machine.platform.network.message = {0, 1e3};
  const auto seconds = [&](Tree tree) {
    plan.ranks[0].transfers[0].tree = tree;
    return plan_bound(plan, problem, machine).seconds;
  };
  EXPECT_NEAR(seconds(Tree::chain) - seconds(Tree::binomial), 0.8, 1e-9);
  EXPECT_NEAR(seconds(Tree::chain), 2.4, 0.01);
}

void expect_bound(const UnequalTiles& example, double seconds, const std::string& limit) {
  const Bound found = plan_bound(example.plan, example.problem, example.machine);
  EXPECT_NEAR(found.seconds, seconds, 1e-9 * seconds);
  EXPECT_EQ(found.limit, limit);
}

/// Two tiles of A, one of B; with C += A B two of C: 3200, 4800 and 4800 bytes at 1 kB/s.
TEST(PlanBound, Loads) {
  UnequalTiles example;
  example.machine.platform.links.host_to_device = {0, 1e3};
  expect_bound(example, 8, "loads of rank 0, device 0");
  example.problem.beta = 1;
  expect_bound(example, 12.8, "loads of rank 0, device 0");
}

/// The message has a tile of A, 1600 bytes at 1 kB/s; then 12 us; then a tile of C, 2400 bytes at 2 kB/s,
/// is written back.
TEST(PlanBound, OfUnequalTiles) {
  UnequalTiles example;
  example.machine.platform.network.message = {0, 1e3};
  example.machine.platform.links.device_to_host = {0, 2e3};
  expect_bound(example, 1.6 + 12e-6 + 1.2, "a chain of messages and products");
}

/// 4800 bytes on one core, or the device itself, before two products of 12 us.
TEST(PlanBound, GenerationOfTheFirstTile) {
  UnequalTiles example;
  example.machine.platform.generation_bytes_per_s_per_core = 1e3;
  expect_bound(example, 4.8 + 24e-6, "the blocks of rank 0, device 0");
  example.machine.platform.generation_bytes_per_s_on_device = 2e3;
  expect_bound(example, 2.4 + 24e-6, "the blocks of rank 0, device 0");
}

/// 4.8 MB on four cores, 1.2 MB each, before two products of 12 ms.
TEST(PlanBound, CoresMakeALargeTileTogether) {
  UnequalTiles example;
  example.problem.n = Tiling::uniform(30000, 30000);
  example.machine.platform.generation_bytes_per_s_per_core = 1e3;
  expect_bound(example, 1200 + 24e-3, "the blocks of rank 0, device 0");
}

/// Ten tiles of B for ten products, 4800 bytes each, on 4 cores.
TEST(PlanBound, GenerationOnTheCoresOfARank) {
  UnequalTiles example;
  example.problem.n = Tiling::uniform(300, 30);
  example.problem.b = Shape::dense(1, 10);
  example.problem.c = Shape::dense(2, 10);
  example.plan.ranks[0].devices[0].blocks[0].columns = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  example.machine.platform.generation_bytes_per_s_per_core = 1e3;
  expect_bound(example, 12, "generation on the cores of rank 0");
}

/// On cores products and generation share them, and only C is written back: two copies.
TEST(PlanBound, WhereDevicesAreCores) {
  UnequalTiles example;
  example.machine.platform.device.kind = example.plan.device_classes[0].kind = DeviceKind::core;
  example.machine.platform.links.device_to_host = {0, 1e3};  // C is in host memory already
  expect_bound(example, 4.8e-6 + 24e-6, "the blocks of rank 0, device 0");
  example.machine.platform.solo_speedup = 2;
  expect_bound(example, 2.4e-6 + 12e-6, "the blocks of rank 0, device 0");
  example.machine.platform.runtime.copy_overhead_s = 1;
  expect_bound(example, 2, "copies of rank 0, device 0");
}

TEST(PlanBound, OfNothing) {
  TwoBlocks example;
  example.plan.ranks.clear();
  EXPECT_EQ(example.bound().seconds, 0);
}

/// Not a plan that verifies, but no reason to crash.
TEST(PlanBound, OfABlockWithoutChunks) {
  TwoBlocks example;
  example.plan.ranks[0].devices[0].blocks.insert(example.plan.ranks[0].devices[0].blocks.begin(),
                                                 Block{{0}, {}});
  // As without it, less the 0.8 us of the first tile's generation: the first block has none.
  EXPECT_NEAR(example.bound().seconds, 13.4e-3, 1e-12);
}

/// Another device may take blocks of the one that has all: then only the bound of any plan holds, of six
/// products on two devices.
TEST(PlanBound, OfAnOpenPoolIsThatOfAnyPlan) {
  const Contraction problem = dense_product(2, 12, 2, 2);
  Machine machine = small_machine(1, 2, 100'000, 1 << 24);
  machine.platform.device.kernel.rate_flops_per_s = 16;  // a product in a second
  Plan plan = make_plan(problem, machine, {{"strategy", "owner-b"}, {"sharing", "dynamic"}});
  auto& devices = plan.ranks[0].devices;
  devices[0].blocks.insert(devices[0].blocks.end(), devices[1].blocks.begin(), devices[1].blocks.end());
  devices[1].blocks.clear();
  EXPECT_NEAR(plan_bound(plan, problem, machine).seconds, 3, 1e-9);
  plan.pool = Pool::taken;
  EXPECT_NEAR(plan_bound(plan, problem, machine).seconds, 6, 1e-9);
}

}  // namespace
}  // namespace foretile::plan_bound_test
