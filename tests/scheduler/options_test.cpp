// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/options.hpp"

#include <gtest/gtest.h>

#include "planner/problem/kinds/dense.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::options_test {
namespace {

Contraction of_tiles(std::int64_t tile) {
  DenseParameters shape;
  shape.m = shape.n = shape.k = 4 * tile;
  shape.tile = tile;
  return dense_contraction(shape);
}

/// 2 * 80^3 = 1,024,000 flop: three of them are less than four million, four are more. 2 * 16^3 = 8,192: 488
/// would be less, 2 * 26^3 = 35,152: 113. 2 * 160^3 = 8,192,000 are more.
TEST(SchedulerOptions, ProductsAtOnceByHand) {
  EXPECT_EQ(products_at_once(of_tiles(80)), 3);
  EXPECT_EQ(products_at_once(of_tiles(16)), 256);
  EXPECT_EQ(products_at_once(of_tiles(26)), 113);
  EXPECT_EQ(products_at_once(of_tiles(160)), 1);
}

/// A tile of 100 has 80 kB, six of which are less than 500 kB. 2 kB: 244 are less. 512 kB are more.
TEST(SchedulerOptions, TilesAtOnceByHand) {
  EXPECT_EQ(tiles_at_once(of_tiles(100)), 6);
  EXPECT_EQ(tiles_at_once(of_tiles(16)), 244);
  EXPECT_EQ(tiles_at_once(of_tiles(256)), 1);
}

/// One device of the only class.
const RankPlan kOneDevice{{DevicePlan{}}, {}};

Plan plan_for(DeviceKind kind, int cores = 1) {
  Plan plan;
  plan.device_classes = {{kind, 1 << 30, cores}};
  return plan;
}

TEST(SchedulerOptions, OnlyCoresMakeSeveralTilesAtOnce) {
  const Contraction problem = of_tiles(100);
  Machine machine = small_machine(1, 1, 1 << 30, std::int64_t{1} << 32, 1);
  EXPECT_EQ(scheduler_options({}, {}, problem, machine, 0).tiles_at_once, 1);
  machine.platform.device.kind = DeviceKind::core;
  EXPECT_EQ(scheduler_options({}, {}, problem, machine, 0).tiles_at_once, 6);
}

TEST(SchedulerOptions, OnlyCoresGetSeveralProductsUnlessThePlanSaysSo) {
  const Contraction problem = of_tiles(80);
  Machine machine = small_machine(1, 1, 1 << 30, std::int64_t{1} << 32, 1);
  const auto options = [&](const Plan& plan, bool in_plan_order = false) {
    return scheduler_options(plan, kOneDevice, problem, machine, 0, in_plan_order);
  };
  EXPECT_EQ(options(plan_for(DeviceKind::gpu)).devices[0].batch, 1);
  machine.platform.device.kind = DeviceKind::core;
  Plan plan = plan_for(DeviceKind::core);
  EXPECT_EQ(options(plan).devices[0].batch, 3);
  EXPECT_FALSE(options(plan).whole_batches);
  EXPECT_EQ(options(plan, true).devices[0].batch, 1);
  plan.batch = 3;
  EXPECT_EQ(options(plan).devices[0].batch, 3);
  EXPECT_TRUE(options(plan).whole_batches);
}

/// A GPU keeps one of the four cores; the other three share each product and get as many as make 4 Mflop for
/// each of them: 12 / 1.024.
TEST(SchedulerOptions, CoresBesideAGpuAreOneDevice) {
  const Contraction problem = of_tiles(80);
  const Machine machine = small_machine(1, 1, 1 << 30, std::int64_t{1} << 32, 1);
  Plan plan = plan_for(DeviceKind::gpu);
  plan.device_classes.push_back({DeviceKind::core, 1 << 30, 3});
  RankPlan both = kOneDevice;
  EXPECT_EQ(scheduler_options(plan, both, problem, machine, 0).core_slots, 4);
  both.devices.push_back({{}, 1});
  const SchedulerOptions options = scheduler_options(plan, both, problem, machine, 0);
  EXPECT_EQ(options.core_slots, 3);
  EXPECT_EQ(options.devices[0].cores, 0);
  EXPECT_FALSE(options.devices[0].in_host_memory);
  EXPECT_EQ(options.devices[1].cores, 3);
  EXPECT_TRUE(options.devices[1].in_host_memory);
  EXPECT_EQ(options.devices[1].batch, 11);
}

}  // namespace
}  // namespace foretile::options_test
