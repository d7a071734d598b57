// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/block_pool.hpp"

#include <gtest/gtest.h>

#include "planner/plan/products.hpp"
#include "tests/planner/dense_product.hpp"

namespace foretile::block_pool_test {
namespace {

/// One row of six columns of C, each a block; device 0 has blocks 0 to 3, device 1 blocks 4 and 5.
struct SixBlocks {
  Contraction problem = dense_product(2, 12, 2, 2);
  PlanFrame frame;
  RankPlan plan{{DevicePlan{}, DevicePlan{}}, {}};
  double block = 0;  // flops

  SixBlocks() {
    frame.pool = Pool::open;
    for (std::int32_t column = 0; column < 6; ++column)
      plan.devices[column < 4 ? 0 : 1].blocks.push_back({{column}, {{{0}}}});
    block = block_flops(problem, plan.devices[0].blocks[0]);
  }
};

constexpr Device kFirst = 0, kSecond = 1;

TEST(BlockPool, CountsTheFlopsOfABlock) {
  EXPECT_DOUBLE_EQ(SixBlocks().block, 2.0 * 2 * 2 * 2);
}

void expect_own_blocks_alone(BlockPool& pool) {
  for (int own = 0; own < 2; ++own) EXPECT_NE(pool.take(kSecond), nullptr);
  EXPECT_FALSE(pool.any(kSecond));
  EXPECT_EQ(pool.take(kSecond), nullptr);
  EXPECT_TRUE(pool.any(kFirst));
}

TEST(BlockPool, GivesOwnBlocksAloneWhereItIsClosed) {
  SixBlocks example;
  BlockPool in_plan_order(example.frame, example.plan, example.problem, true);
  expect_own_blocks_alone(in_plan_order);
  for (const Pool closed : {Pool::none, Pool::taken}) {
    example.frame.pool = closed;
    BlockPool pool(example.frame, example.plan, example.problem);
    expect_own_blocks_alone(pool);
  }
}

/// Device 1 has done its two blocks when device 0 has done one of four: it is twice as fast. With block 3 it
/// is done in half the time of a block of device 0, which has three left: it takes it. Block 2 as well: with
/// both it is done after 1, device 0 after 2. With block 1, too, it would be done after 1.5, device 0 has 1
/// left.
TEST(BlockPool, TheFasterTakesWhatWouldWait) {
  const SixBlocks example;
  BlockPool pool(example.frame, example.plan, example.problem);
  EXPECT_EQ(pool.take(kFirst), &example.plan.devices[0].blocks[0]);
  EXPECT_EQ(pool.take(kSecond), &example.plan.devices[1].blocks[0]);
  EXPECT_EQ(pool.take(kSecond), &example.plan.devices[1].blocks[1]);
  pool.multiplied(kFirst, example.block, 1);
  pool.multiplied(kSecond, 2 * example.block, 1);
  EXPECT_EQ(pool.take(kSecond), &example.plan.devices[0].blocks[3]);
  EXPECT_EQ(pool.take(kSecond), &example.plan.devices[0].blocks[2]);
  EXPECT_FALSE(pool.any(kSecond));
  EXPECT_EQ(pool.take(kSecond), nullptr);
  EXPECT_EQ(pool.take(kFirst), &example.plan.devices[0].blocks[1]);
  EXPECT_FALSE(pool.any(kFirst));
  EXPECT_EQ(pool.taken(), (RankAssignment{{0, 1}, {4, 5, 3, 2}}));
}

/// Nothing is done yet: by the plan device 0 is twice as fast. It has its own four blocks on their way when
/// device 1 has taken one of two: 5 blocks against 2 of half the speed, 4.
TEST(BlockPool, BeforeAnythingIsDoneThePlanTellsSpeeds) {
  const SixBlocks example;
  BlockPool pool(example.frame, example.plan, example.problem);
  for (int own = 0; own < 4; ++own) pool.take(kFirst);
  pool.take(kSecond);
  EXPECT_FALSE(pool.any(kFirst));
  pool.multiplied(kFirst, 2 * example.block,
                  1);  // 3 blocks against 4, but the speed of device 1 is unknown
  EXPECT_TRUE(pool.any(kFirst));
}

/// Device 1 did its two blocks in a second and waits since then; device 0 did one in four. It is not for its
/// waiting that device 1 is slow.
TEST(BlockPool, ADeviceThatWaitsIsAsFastAsItWas) {
  const SixBlocks example;
  BlockPool pool(example.frame, example.plan, example.problem);
  pool.take(kFirst);
  pool.take(kSecond);
  pool.take(kSecond);
  pool.multiplied(kSecond, 2 * example.block, 1);
  pool.multiplied(kFirst, example.block, 4);
  for (const std::size_t last : {3U, 2U, 1U})
    EXPECT_EQ(pool.take(kSecond), &example.plan.devices[0].blocks[last]);
  EXPECT_FALSE(pool.any(kSecond));
}

/// Three devices with two blocks each. In a second device 2 has done both of its own, device 0 half a block
/// and device 1 a quarter: device 0 has 1.5 / 0.5 = 3 s to do, device 1 has 1.75 / 0.25 = 7 s.
TEST(BlockPool, TakesFromTheOneThatHasMostToDo) {
  SixBlocks example;
  example.plan.devices.emplace_back();
  auto& devices = example.plan.devices;
  devices[2].blocks = std::move(devices[1].blocks);
  devices[1].blocks = {devices[0].blocks[2], devices[0].blocks[3]};
  devices[0].blocks.resize(2);
  BlockPool pool(example.frame, example.plan, example.problem);
  for (int own = 0; own < 2; ++own) pool.take(2);
  pool.multiplied(0, 0.5 * example.block, 1);
  pool.multiplied(1, 0.25 * example.block, 1);
  pool.multiplied(2, 2 * example.block, 1);
  EXPECT_EQ(pool.take(2), &example.plan.devices[1].blocks[1]);
}

/// A device to which the plan gives nothing takes nothing before others show how fast they are, nor behind.
TEST(BlockPool, ADeviceWithoutBlocksWaits) {
  SixBlocks example;
  for (Block& block : example.plan.devices[1].blocks)
    example.plan.devices[0].blocks.push_back(std::move(block));
  example.plan.devices[1].blocks.clear();
  BlockPool pool(example.frame, example.plan, example.problem);
  EXPECT_FALSE(pool.any(kSecond));
  pool.take(kFirst);
  pool.multiplied(kFirst, example.block, 1);
  EXPECT_FALSE(pool.any(kSecond));
}

}  // namespace
}  // namespace foretile::block_pool_test
