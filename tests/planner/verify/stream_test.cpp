// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/planner/verify/refused.hpp"
#include "tests/planner/verify/stream_example.hpp"

namespace foretile::stream_test {
namespace {

/// Device: two chunks of two tiles and one tile of C, 5 * 32. Host: one own tile of A, two of B, two of C;
/// of what arrives at rank 0 (A(0,1) for step 1 and for 3, B(1,0) for 1, B(1,2) for 3), two tiles are there
/// at once; at rank 1 (A(0,0) for 0 and for 2, B(1,1) for 1, B(1,3) for 3) too: 7 * 32. Network: 4 tiles of A
/// twice and 8 of B. Loads: 4 chunks of two tiles on each of 4 devices.
TEST(VerifyStream, AcceptsTheExampleAndCounts) {
  const StreamExample example;
  const PlanSummary s = verify(example.plan, example.problem);
  EXPECT_EQ(s.gemms, 16);
  EXPECT_EQ(s.blocks, 8);
  EXPECT_EQ(s.chunks, 16);
  EXPECT_EQ(s.peak_device_bytes, 160);
  EXPECT_EQ(s.peak_host_bytes, 224);
  EXPECT_EQ(s.a_sent_bytes, 256);
  EXPECT_EQ(s.b_sent_bytes, 256);
  EXPECT_EQ(s.network_bytes, 512);
  EXPECT_EQ(s.most_received_bytes, 128);
  EXPECT_EQ(s.generated_bytes, 0);
  EXPECT_EQ(s.h2d_bytes, 1024);
  EXPECT_EQ(s.c_loaded_bytes, 0);
  EXPECT_EQ(s.d2h_bytes, 256);
  EXPECT_EQ(s.device_loads.min, 8);
  EXPECT_DOUBLE_EQ(s.device_loads.mean, 8.0);
  EXPECT_EQ(s.device_loads.max, 8);
}

/// Two tiles of C more per device.
TEST(VerifyStream, CountsInitialC) {
  StreamExample example;
  example.problem.beta = 1;
  const PlanSummary s = verify(example.plan, example.problem);
  EXPECT_EQ(s.c_loaded_bytes, 256);
  EXPECT_EQ(s.h2d_bytes, 1024 + 256);
  EXPECT_EQ(s.device_loads.max, 10);
}

/// Everything that arrives stays: one tile of A and two of B beside five others.
TEST(VerifyStream, WithoutGlobalBarriersAllStays) {
  for (const Barriers barriers : {Barriers::none, Barriers::local}) {
    const StreamExample example(1, barriers);
    const PlanSummary s = verify(example.plan, example.problem);
    EXPECT_EQ(s.peak_host_bytes, 256);
    EXPECT_EQ(s.a_sent_bytes, 128);
    EXPECT_EQ(s.b_sent_bytes, 256);
  }
}

/// Chunks 0 to 2 or 1 to 3 use two tiles of A and three of B, across the border of the blocks, and one
/// tile of C: 6 * 32 = 192; with the next block's C 7 * 32 = 224.
TEST(VerifyStream, CatchesDeviceMemoryAcrossBlocks) {
  StreamExample example(2);
  example.plan.device_classes[0].memory_bytes = 192;
  EXPECT_EQ(complaint(example.plan, example.problem), "");
  example.plan.device_classes[0].memory_bytes = 191;
  expect_refused(example,
                 {"rank 0 device 0 block 0", "192 bytes at chunk 0 (block 32.0 B, chunks in flight 160 B)",
                  "1 bytes are missing: lower d"});
  example.plan.prefetch_c = true;
  example.plan.device_classes[0].memory_bytes = 224;
  EXPECT_EQ(complaint(example.plan, example.problem), "");
  example.plan.device_classes[0].memory_bytes = 223;
  expect_refused(example, {"1 bytes are missing", "block 64"});
}

TEST(VerifyStream, CatchesHostMemoryExceeded) {
  StreamExample example;
  example.plan.host_budget_bytes = 224;
  EXPECT_EQ(complaint(example.plan, example.problem), "");
  example.plan.host_budget_bytes = 223;
  expect_refused(example, {"rank 0", "A 64.0 B, B 96.0 B, C 64.0 B", "1 bytes are missing",
                           "use more ranks or lower d"});
}

TEST(VerifyStream, CatchesAMissingMessage) {
  for (const Barriers barriers : {Barriers::none, Barriers::local, Barriers::global}) {
    const StreamExample whole(1, barriers);
    for (std::size_t n = 0; n < whole.plan.ranks[3].transfers.size(); ++n) {
      StreamExample example = whole;
      example.messages(3).erase(example.messages(3).begin() + static_cast<std::ptrdiff_t>(n));
      expect_refused(example, {"no source for"});
    }
  }
}

TEST(VerifyStream, CatchesAMessageTwice) {
  StreamExample example;
  example.messages(0).insert(example.messages(0).begin(), example.messages(0)[0]);
  expect_refused(example, {"rank 1", "A tile 0 sent for steps 0 to 0 and again for steps 0 to 0"});
  StreamExample local(1, Barriers::local);
  local.messages(0).push_back(local.messages(0)[0]);
  expect_refused(local, {"sent 2 times"});
}

/// Rank 0 sends A(0,0) for the steps 0 to 2.
TEST(VerifyStream, CatchesAnIntervalTooShort) {
  StreamExample example(2);
  ASSERT_EQ(example.messages(0)[0].last_step, 2);
  example.messages(0)[0].last_step = 1;
  expect_refused(example, {"rank 1", "no source for A tile 0 at step 2"});
}

/// A(1,1) is used at steps 1 and 3.
TEST(VerifyStream, CatchesAnIntervalThatBeginsLate) {
  for (const Barriers barriers : {Barriers::local, Barriers::global}) {
    StreamExample example(2, barriers);
    Transfer& message = example.messages(3)[0];
    ASSERT_EQ(message.matrix, Matrix::a);
    ++message.step;
    std::swap(message, example.messages(3)[1]);
    expect_refused(example, {"rank 2", "no source for A tile 3 at step 1"});
  }
}

/// Rank 0 uses A(0,1) at 1 and 3: with lookahead 2 it is sent again before step 1 is over.
TEST(VerifyStream, CatchesAResendTooEarly) {
  StreamExample example(1);
  example.plan.lookahead = 2;
  expect_refused(example,
                 {"rank 0", "A tile 1 sent for steps 1 to 1 and again for steps 3 to 3", "lookahead = 2"});
}

TEST(VerifyStream, CatchesAMessageWithoutUse) {
  StreamExample example;
  example.messages(0).push_back({{0}, {1}, Matrix::a, 9, 9});
  expect_refused(example, {"rank 1", "A tile 0 sent for steps 9 to 9 and not needed"});
  StreamExample other;
  other.messages(0).push_back({{1}, {1}, Matrix::b, 9, kEver});
  expect_refused(other, {"B tile 1", "its own tiles"});
}

TEST(VerifyStream, CatchesStepsThatEndBeforeTheyBegin) {
  StreamExample example;
  example.messages(0)[1].last_step = Step::of(example.messages(0)[1].step - 1);
  expect_refused(example, {"rank 0", "a first step of at least 0 and no later than the last"});
  StreamExample negative;
  negative.messages(0)[0].step = -1;
  expect_refused(negative, {"steps -1 to 0"});
}

TEST(VerifyStream, CatchesADropWithoutGlobalBarriers) {
  for (const Barriers barriers : {Barriers::none, Barriers::local}) {
    StreamExample example(1, barriers);
    example.messages(0)[0].last_step = 2;
    expect_refused(example, {"last step 2", "for ever"});
  }
}

TEST(VerifyStream, CatchesMessagesOutOfOrder) {
  StreamExample example;
  std::swap(example.messages(0).front(), example.messages(0).back());
  expect_refused(example, {"rank 0", "after one for step 2", "in the order of steps"});
}

TEST(VerifyStream, CatchesStepsThatDoNotIncrease) {
  for (const Step step : {Step(-1), Step(0), Step(1)}) {
    StreamExample example;
    example.block(2, 1).chunks[0].step = step;
    expect_refused(example,
                   {"rank 2 device 0 block 1", fmt::format("a chunk of step {}", step), "at least 2"});
  }
  StreamExample last;
  last.block(2, 1).chunks[1].step = kEver;
  expect_refused(last, {"a chunk of step", "below"});
}

TEST(VerifyStream, WithoutBarriersStepsSayNothing) {
  StreamExample example(1, Barriers::none);
  for (Rank rank = 0; rank < 4; ++rank) {
    for (int y = 0; y < 2; ++y) {
      for (Chunk& chunk : example.block(rank, y).chunks) chunk.step = -7;
    }
  }
  EXPECT_EQ(complaint(example.plan, example.problem), "");
}

/// B may be used in any number of blocks, C in one.
TEST(VerifyStream, CatchesCInTwoBlocks) {
  StreamExample example;
  example.block(0, 0).columns = {0, 2};
  example.block(0, 1).columns = {0, 2};
  example.block(0, 0).chunks.pop_back();
  example.block(0, 1).chunks.erase(example.block(0, 1).chunks.begin());
  expect_refused(example, {"rank 0 device 0 block 1", "C tile 0 in a second block"});
}

TEST(VerifyStream, CatchesMessagesOfWhatIsNotDistributed) {
  StreamExample c;
  c.messages(0)[0].matrix = Matrix::c;
  expect_refused(c, {"not distributed"});
  StreamExample stay;
  stay.plan.operands.b = kGeneratedAndStays;
  expect_refused(stay, {"not distributed"});
}

TEST(VerifyStream, CatchesTilesThatDoNotExist) {
  for (const TileId tile : {TileId{-1}, TileId{8}}) {
    StreamExample example;
    for (Transfer& message : example.messages(0)) message.matrix = Matrix::b;
    example.messages(0)[0].tiles = {tile};
    expect_refused(example, {fmt::format("B tile {}", tile), "its own tiles"});
  }
}

}  // namespace
}  // namespace foretile::stream_test
