// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/sharing.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/dense_product.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::strategies_sharing_test {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

/// A GPU of 1 Gflop/s and four cores, three of which compute at 0.1 Gflop/s each.
Machine with_cores() {
  Machine machine = small_machine(1, 1, 1 << 20, kPlenty);
  machine.platform.source = "test.toml";
  machine.platform.core.kernel.rate_flops_per_s = 1e8;
  return machine;
}

Plan plan_with(const std::string& sharing, const Machine& machine) {
  return make_plan(dense_product(6, 20, 4, 2), machine, {{"strategy", "owner-b"}, {"sharing", sharing}});
}

std::string refusal(const std::string& sharing, const Machine& machine) {
  try {
    plan_with(sharing, machine);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Tiles of 2 x 2: for three cores 1 x 2 parts of 2 x 1, half of the product each, so 0.2 of the GPU's speed.
/// Ten columns: the GPU is done with its 8th after 8 and its 9th after 9, the cores with one after 5 and two
/// after 10.
TEST(Sharing, DistributesBySpeed) {
  const Plan plan = plan_with("planned", with_cores());
  verify(plan, dense_product(6, 20, 4, 2));
  ASSERT_EQ(plan.device_classes.size(), 2U);
  EXPECT_EQ(plan.device_classes[1].kind, DeviceKind::core);
  EXPECT_EQ(plan.device_classes[1].cores, 3);
  EXPECT_EQ(plan.device_classes[1].memory_bytes, 1 << 20);
  const std::vector<DevicePlan>& devices = plan.ranks[0].devices;
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].device_class, 0);
  EXPECT_EQ(devices[1].device_class, 1);
  EXPECT_EQ(devices[0].blocks[0].columns.size(), 9U);
  EXPECT_EQ(devices[1].blocks[0].columns.size(), 1U);
}

/// As above, but 10 bytes a second: a tile of B, 32 bytes, is loaded in 3.2 s and used by three products,
/// which take 16 ns. The cores have 8 flop each and product, 8e-8 s. So the GPU has nothing, or a column
/// where it is first.
TEST(Sharing, CountsHowLongBIsLoaded) {
  Machine machine = with_cores();
  const Contraction p = dense_product(6, 20, 4, 2);
  machine.platform.links.host_to_device.bandwidth_bytes_per_s = 10;
  const Plan plan = plan_with("planned", machine);
  const std::vector<double> speeds = device_speeds(plan, {0, 1}, p, machine);
  EXPECT_DOUBLE_EQ(speeds[0], 16 / (3.2 / 3));
  EXPECT_DOUBLE_EQ(speeds[1], 2e8);
  EXPECT_TRUE(plan.ranks[0].devices[0].blocks.empty());
  EXPECT_EQ(plan.ranks[0].devices[1].blocks[0].columns.size(), 10U);
}

TEST(Sharing, CoresAloneAreTheOnlyDevice) {
  const Plan plan = plan_with("cores", with_cores());
  verify(plan, dense_product(6, 20, 4, 2));
  ASSERT_EQ(plan.device_classes.size(), 1U);
  EXPECT_EQ(plan.device_classes[0].kind, DeviceKind::core);
  EXPECT_EQ(plan.ranks[0].devices.size(), 1U);
  EXPECT_EQ(plan.parameters.at("sharing"), "cores");
}

TEST(Sharing, IsPlannedWherePossibleUnlessItIsOff) {
  EXPECT_EQ(plan_with("auto", with_cores()).parameters.at("sharing"), "planned");
  EXPECT_EQ(plan_with("off", with_cores()).device_classes.size(), 1U);
  Machine machine = with_cores();
  machine.platform.cores_per_socket = 1;  // the GPU's
  EXPECT_EQ(plan_with("auto", machine).parameters.at("sharing"), "off");
  EXPECT_EQ(plan_with("auto", small_machine(1, 1, 1 << 20, kPlenty)).parameters.at("sharing"), "off");
}

/// Bounds are asked for before defaults are filled in.
TEST(Sharing, IsAutoWhereNothingIsSaid) {
  const Contraction p = dense_product(6, 20, 4, 2);
  EXPECT_EQ(cores_sharing(p, with_cores(), {}), 3);
  const auto bound = [&](Settings settings) {
    settings["strategy"] = "owner-b";
    return bound_before_planning(p, with_cores(), settings).seconds;
  };
  EXPECT_DOUBLE_EQ(bound({}), bound({{"sharing", "planned"}}));
  EXPECT_LT(bound({}), bound({{"sharing", "off"}}));
}

TEST(Sharing, RefusesCoresThatCannot) {
  Machine machine = small_machine(1, 1, 1 << 20, kPlenty);
  machine.platform.source = "test.toml";
  EXPECT_EQ(refusal("planned", machine),
            "sharing: found \"planned\", expected a kernel curve of the cores in test.toml; add the table "
            "[core.kernel], or set sharing=off");
  machine = with_cores();
  machine.platform.cores_per_socket = 1;
  EXPECT_NE(refusal("cores", machine).find("1 cores and 1 GPUs"), std::string::npos);
  machine = with_cores();
  machine.platform.device.kind = DeviceKind::core;
  EXPECT_NE(refusal("planned", machine).find("the devices of test are cores"), std::string::npos);
}

}  // namespace
}  // namespace foretile::strategies_sharing_test
