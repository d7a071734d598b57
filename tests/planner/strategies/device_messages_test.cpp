// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/device_messages.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::device_messages_plan_test {
namespace {

/// Tiles and messages have room together; a plan with less room for messages is refused.
TEST(PlansWithDeviceMessages, HaveRoomForTilesAndMessages) {
  int planned = 0, smaller = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomCase c = seed % 3 == 0 ? random_case(seed) : random_streamed_case(seed);
    c.machine.platform.messages = "device";
    Plan plan;
    PlanSummary summary;
    try {
      plan = make_plan(c.problem, c.machine, c.settings);
      summary = verify(plan, c.problem);
    } catch (const InputError&) {
      continue;
    }
    ++planned;
    EXPECT_EQ(plan.device_classes[0].memory_bytes + plan.device_message_bytes,
              c.machine.platform.device.memory_bytes);
    EXPECT_LE(summary.peak_device_message_bytes, plan.device_message_bytes);
    EXPECT_EQ(plan.messages_on_devices(), summary.network_bytes > summary.c_sent_bytes);
    if (summary.peak_device_message_bytes < 2) continue;
    ++smaller;
    plan.device_message_bytes = summary.peak_device_message_bytes - 1;
    EXPECT_THROW(verify(plan, c.problem), InputError);
  }
  EXPECT_GE(planned, 100);
  EXPECT_GE(smaller, 50);
}

/// A machine of one rank, cores, or one memory: nothing comes to a device.
TEST(PlansWithDeviceMessages, AreMadeWhereDevicesReceive) {
  Machine machine = small_machine(2, 1, 1 << 20, 1 << 20);
  EXPECT_FALSE(machine.receives_on_devices());
  machine.platform.messages = "device";
  EXPECT_TRUE(machine.receives_on_devices());
  machine.ranks = 1;
  EXPECT_FALSE(machine.receives_on_devices());
  machine.ranks = 2;
  machine.platform.device.in_host_memory = true;
  EXPECT_FALSE(machine.receives_on_devices());
  machine.platform.device.in_host_memory = false;
  machine.platform.device.kind = DeviceKind::core;
  EXPECT_FALSE(machine.receives_on_devices());
}

/// Without barriers all that a rank receives stays on its device: of 8 x 8 tiles of 800 bytes and a grid of
/// 2 x 2, 16 of A and 16 of B.
TEST(PlansWithDeviceMessages, SayHowMuchIsMissing) {
  const Tiling tiles = Tiling::uniform(80, 10);
  Contraction p{"", tiles, tiles, tiles, Shape::dense(8, 8), Shape::dense(8, 8), Shape::dense(8, 8), 0};
  Machine machine = small_machine(4, 1, 30 * 800, 1 << 20);
  machine.platform.messages = "device";
  const Settings settings{{"strategy", "stationary-c"}, {"barriers", "none"}};
  try {
    make_plan(p, machine, settings);
    FAIL() << "it fits";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("platform.messages=host"), std::string::npos) << text;
    EXPECT_NE(text.find("messages of 25600 bytes"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace foretile::device_messages_plan_test
