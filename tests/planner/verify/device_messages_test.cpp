// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/device_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "planner/plan/landing.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/planner/verify/refused.hpp"
#include "tests/planner/verify/stream_example.hpp"

namespace foretile::device_messages_test {
namespace {

/// Of what arrives at a rank, two tiles of 32 bytes are there at once (stream_test.cpp), on its only device.
/// In host memory are its five own tiles alone.
TEST(DeviceMessages, AreCountedOnTheDevice) {
  StreamExample example;
  example.plan.device_message_bytes = 64;
  const PlanSummary s = verify(example.plan, example.problem);
  EXPECT_EQ(s.peak_device_message_bytes, 64);
  EXPECT_EQ(s.peak_host_bytes, 160);
  EXPECT_EQ(s.peak_device_bytes, 160);
  EXPECT_EQ(most_on_a_device(example.plan, example.problem), 64);
}

TEST(DeviceMessages, AreRefusedWhereTheyDoNotFit) {
  StreamExample example;
  example.plan.device_message_bytes = 63;
  expect_refused(example, {"rank 0 device 0", "messages of 64 bytes", "at most the 63 bytes", "1 byte",
                           "platform.messages=host"});
}

TEST(DeviceMessages, NeedDevicesWithMemory) {
  StreamExample example;
  example.plan.device_message_bytes = 64;
  example.plan.device_classes[0].kind = DeviceKind::core;
  expect_refused(example, {"messages on devices", "works in host memory"});
  example.plan.device_classes[0] = {.memory_bytes = 1000, .shares_memory = true};
  expect_refused(example, {"messages on devices", "works in host memory"});
  example.plan.device_message_bytes = -1;
  expect_refused(example, {"device memory for messages", "-1 bytes"});
}

/// By definition: of each moment, all that may have come for it and is in use.
std::int64_t slow_worst(const Plan& plan, const Messages& messages, Rank rank, std::size_t device) {
  const std::size_t devices = plan.ranks[rank].devices.size();
  std::int64_t worst = 0;
  for (int open = 0; open < 100; ++open) {
    std::int64_t bytes = 0;
    messages.for_each_to(rank, [&](const Messages::Sized& sized) {
      if (landing_device(sized.owner, sized.number, devices) != Device::of(device)) return;
      const bool here = plan.barriers != Barriers::global ||
                        (sized.message->step <= open + plan.lookahead && sized.message->last_step >= open);
      if (here) bytes += sized.bytes;
    });
    worst = std::max(worst, bytes);
  }
  return worst;
}

TEST(DeviceMessages, AreCountedAsByDefinition) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomCase c = seed % 2 == 0 ? random_streamed_case(seed) : random_case(seed);
    Plan plan;
    try {
      plan = make_plan(c.problem, c.machine, c.settings);
    } catch (const InputError&) {
      continue;
    }
    const Messages messages(plan, c.problem, Owners(plan, c.problem));
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
      const std::vector<std::int64_t> worst = worst_on_devices(plan, messages, Rank::of(rank));
      for (std::size_t device = 0; device < worst.size(); ++device, ++compared)
        EXPECT_EQ(worst[device], slow_worst(plan, messages, Rank::of(rank), device));
    }
  }
  EXPECT_GE(compared, 500);
}

/// Rank 0 receives a tile of A and one of B, 64 bytes, at step 1 and again at step 3.
TEST(DeviceMessages, AreCountedByStep) {
  StreamExample example;
  example.plan.device_message_bytes = 128;
  example.plan.steps.assign(4, 0);
  const std::vector<StepMessages> of_ranks = step_messages(example.plan, example.problem);
  ASSERT_EQ(of_ranks.size(), 4U);
  const StepMessages& messages = of_ranks[0];
  EXPECT_EQ(messages.most(0, 0), 0);
  EXPECT_EQ(messages.most(1, 1), 64);
  EXPECT_EQ(messages.most(1, 2), 64);
  EXPECT_EQ(messages.most(0, 3), 128);
  using Bytes = std::vector<std::int64_t>;
  EXPECT_EQ(messages.worst({0, 0, 1, 2}), Bytes{64});
  EXPECT_EQ(messages.worst({0, 0, 0, 1}), Bytes{128});
  example.plan.device_message_bytes = 0;
  EXPECT_EQ(step_messages(example.plan, example.problem)[0].most(0, 3), 0);
}

/// All devices get some, and no more than twice their share.
TEST(DeviceMessages, AreSpreadOverDevices) {
  for (const std::size_t devices : {1U, 3U, 8U}) {
    std::vector<int> counts(devices, 0);
    for (int owner = 0; owner < 20; ++owner) {
      for (int number = 0; number < 50; ++number) ++counts[landing_device(Rank::of(owner), number, devices)];
    }
    for (const int count : counts) {
      EXPECT_GE(count, 1000 / static_cast<int>(devices) / 2);
      EXPECT_LE(count, 1000 / static_cast<int>(devices) * 2);
    }
  }
}

}  // namespace
}  // namespace foretile::device_messages_test
