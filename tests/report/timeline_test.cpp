// SPDX-License-Identifier: BSD-3-Clause
#include "report/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "report/varint.hpp"

namespace foretile::timeline_test {
namespace {

TEST(Varint, TakesAsManyBytesAsItNeeds) {
  std::vector<std::byte> bytes;
  put_varint(bytes, 0x7f);
  EXPECT_EQ(bytes, (std::vector{std::byte{0x7f}}));
  bytes.clear();
  put_varint(bytes, 300);  // 10 0101100
  EXPECT_EQ(bytes, (std::vector{std::byte{0xac}, std::byte{0x02}}));
  bytes.clear();
  put_signed(bytes, -2);
  EXPECT_EQ(bytes, (std::vector{std::byte{3}}));
}

TEST(Varint, ComesBack) {
  Random random(3);
  std::vector<std::int64_t> numbers{0, -1, 1, INT64_MIN, INT64_MAX};
  for (int n = 0; n < 1000; ++n)
    numbers.push_back(static_cast<std::int64_t>(random.bits()) >> random.integer(0, 63));
  std::vector<std::byte> bytes;
  for (const std::int64_t number : numbers) put_signed(bytes, number);
  std::span<const std::byte> rest = bytes;
  for (const std::int64_t number : numbers) EXPECT_EQ(take_signed(rest), number);
  EXPECT_TRUE(rest.empty());
}

std::vector<TimelineOperation> operations_of(const TimelineLane& lane) {
  std::vector<TimelineOperation> all;
  for (const TimelineBlock& block : lane.blocks) {
    const std::vector<TimelineOperation> of_block = decoded(block);
    EXPECT_EQ(of_block.front().start, block.first);
    EXPECT_EQ(of_block.back().end, block.last);
    all.insert(all.end(), of_block.begin(), of_block.end());
  }
  return all;
}

/// 2 s are 2 x 10^8 ticks of 10 ns; nothing is finer than 1 ns.
TEST(Timeline, TicksArePowersOfTen) {
  EXPECT_DOUBLE_EQ(Timeline(2).tick_s(), 1e-8);
  EXPECT_DOUBLE_EQ(Timeline(99).tick_s(), 1e-7);
  EXPECT_DOUBLE_EQ(Timeline(0.01).tick_s(), 1e-9);
  EXPECT_DOUBLE_EQ(Timeline(0).tick_s(), 1e-9);
}

TEST(Timeline, HasOneLaneForEachKindOfWorkOfADevice) {
  Timeline timeline(1);
  timeline.record({Cause::h2d, 1, 0, 0, 0.25, 80, 2, -1, 3});
  timeline.record({Cause::kernel, 1, 0, 0.25, 0.5, 0, 2, 5, 3, 1});
  timeline.record({Cause::network, 0, kHost, 0, 1, 80, 2, -1, 3});
  timeline.finish();
  const auto lanes = timeline.lanes();
  ASSERT_EQ(lanes.size(), 3U);
  EXPECT_EQ(lanes[0]->lane, (TraceLane{0, kHost, LaneKind::messages, 0}));
  EXPECT_EQ(lanes[1]->lane, (TraceLane{1, 0, LaneKind::kernels, 0}));
  EXPECT_EQ(lanes[2]->lane, (TraceLane{1, 0, LaneKind::loads, 0}));
  EXPECT_EQ(operations_of(*lanes[1]),
            (std::vector{TimelineOperation{25'000'000, 50'000'000, Cause::kernel, 2, 5, 3, 1, 0}}));
  EXPECT_EQ(timeline.end(), 100'000'000);
  EXPECT_EQ(timeline.operations(), 3);
}

/// Of one lane, in more blocks than one.
TEST(Timeline, KeepsAllOfRandomOperations) {
  Random random(5);
  Timeline timeline(10);
  std::vector<TimelineOperation> expected;
  std::int64_t now = 0;
  for (int n = 0; n < 10'000; ++n) {
    const std::int64_t start = now + random.integer(0, 3) * random.integer(0, 1000);
    now = start + random.integer(0, 100'000);
    const auto index = [&] { return static_cast<std::int32_t>(random.integer(-1, 5000)); };
    const TimelineOperation operation{start,
                                      now,
                                      random.integer(0, 1) == 0 ? Cause::h2d : Cause::d2d,
                                      index(),
                                      index(),
                                      index(),
                                      0,
                                      random.integer(0, 1'000'000'000'000)};
    expected.push_back(operation);
    const double tick = timeline.tick_s();
    timeline.record({operation.cause, 0, 0, static_cast<double>(start) * tick,
                     static_cast<double>(now) * tick, operation.bytes, operation.i, operation.j,
                     operation.k});
  }
  timeline.finish();
  ASSERT_EQ(timeline.lanes().size(), 1U);
  EXPECT_EQ(timeline.lanes()[0]->blocks.size(), 3U);
  EXPECT_EQ(operations_of(*timeline.lanes()[0]), expected);
}

}  // namespace
}  // namespace foretile::timeline_test
