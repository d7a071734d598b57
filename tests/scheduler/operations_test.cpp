#include "scheduler/operations.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

/// Only the clock matters here.
struct Clock final : Backend {
  double time = 0;
  double now() const override { return time; }
  int kernel_slots() const override { return 1; }
  void start_kernel(OperationId, int, std::span<const Product>) override {}
  void start_generate(OperationId, TileId) override {}
  void start_copy(OperationId, const Copy&) override {}
  void start_send(OperationId, int, const Message&) override {}
  void allocate(int, TileRef) override {}
  void release(int, TileRef) override {}
  void release_host(TileRef) override {}
  void release_message(int, int) override {}
  void send_signal(int, Signal) override {}
  void adopt(int, TileRef) override {}
};

double seconds(const Path& path, Cause cause) {
  return path.seconds[static_cast<std::size_t>(cause)];
}

/// Generation from 0 to 2, found out at 2; the kernel starts at 3 (1 s of waiting) and ends at 7.
TEST(Operations, PathAddsUpToTheTime) {
  Clock clock;
  Operations operations(clock, 0, nullptr);
  OperationId first = 0;
  operations.start(Cause::generate, kHost, first);
  clock.time = 2;
  operations.end(first);
  clock.time = 3;
  OperationId second = 0;
  operations.start(Cause::kernel, 1, second);
  clock.time = 7;
  const TraceEvent event = operations.end(second).event;
  EXPECT_EQ(event.start_s, 3);
  EXPECT_EQ(event.end_s, 7);
  EXPECT_EQ(event.device, 1);
  EXPECT_EQ(seconds(operations.path(), Cause::generate), 2);
  EXPECT_EQ(seconds(operations.path(), Cause::wait), 1);
  EXPECT_EQ(seconds(operations.path(), Cause::kernel), 4);
  EXPECT_EQ(operations.path().total(), 7);
  EXPECT_EQ(operations.in_flight(), 0U);
}

/// Two at once: the path at each end is that of the operation itself, not of what ended in between.
TEST(Operations, PathsOfParallelOperationsDoNotMix) {
  Clock clock;
  Operations operations(clock, 0, nullptr);
  OperationId slow = 0;
  OperationId quick = 0;
  operations.start(Cause::h2d, 0, slow);
  operations.start(Cause::generate, kHost, quick);
  EXPECT_NE(slow, quick);
  EXPECT_EQ(operations.in_flight(), 2U);
  clock.time = 1;
  operations.end(quick);
  clock.time = 5;
  operations.end(slow);
  EXPECT_EQ(seconds(operations.path(), Cause::h2d), 5);
  EXPECT_EQ(seconds(operations.path(), Cause::generate), 0);
}

}  // namespace
}  // namespace foretile
