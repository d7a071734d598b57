// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/operations.hpp"

#include <gtest/gtest.h>

#include "tests/scheduler/idle_backend.hpp"

namespace foretile::operations_test {
namespace {

/// Only the clock matters here.
struct Clock final : IdleBackend {
  double time = 0;
  double now() const override { return time; }
};

const SchedulerOptions kGpus;
const SchedulerOptions kCores = [] {
  SchedulerOptions options;
  options.devices.push_back({.cores = 1});
  return options;
}();

double seconds(const Path& path, Cause cause) {
  return path.seconds(cause);
}

/// Generation from 0 to 2, found out at 2; the kernel starts at 3 (1 s of waiting) and ends at 7.
TEST(Operations, PathAddsUpToTheTime) {
  Clock clock;
  Operations operations(clock, 0, kGpus, nullptr);
  const OperationId first = operations.start<GenerateOperation>(Cause::generate, kHost).id;
  clock.time = 2;
  operations.end(first);
  clock.time = 3;
  const OperationId second = operations.start<KernelOperation>(Cause::kernel, 1).id;
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

/// Given to a core at 0, begun at 3 behind others, ended at 5, reported at 6: a trace shows 3 to 5, the path
/// counts all 6 s, of which 3 were for others; the core was busy for 2 s.
TEST(Operations, TracesShowWhenAProductWasUnderWay) {
  struct Sink final : TraceSink {
    TraceEvent last;
    void record(const TraceEvent& event) override { last = event; }
  } sink;
  Clock clock;
  Operations operations(clock, 0, kCores, &sink);
  const OperationId id = operations.start<KernelOperation>(Cause::kernel, 0).id;
  clock.time = 6;
  const TraceEvent event = operations.end(id, {.began_s = 3, .ended_s = 5}).event;
  EXPECT_EQ(event.end_s, 6);
  EXPECT_EQ(sink.last.start_s, 3);
  EXPECT_EQ(sink.last.end_s, 5);
  EXPECT_EQ(operations.path().seconds(Cause::kernel, Part::work), 3);
  EXPECT_EQ(operations.path().seconds(Cause::kernel, Part::latency_bound), 3);
  EXPECT_EQ(operations.busy_seconds(Cause::kernel, 0), 2);
}

/// Two at once: the path at each end is that of the operation itself, not of what ended in between.
TEST(Operations, PathsOfParallelOperationsDoNotMix) {
  Clock clock;
  Operations operations(clock, 0, kGpus, nullptr);
  OperationId slow = 0;
  OperationId quick = 0;
  slow = operations.start<LoadOperation>(Cause::h2d, 0).id;
  quick = operations.start<GenerateOperation>(Cause::generate, kHost).id;
  EXPECT_NE(slow, quick);
  EXPECT_EQ(operations.in_flight(), 2U);
  clock.time = 1;
  operations.end(quick);
  clock.time = 5;
  operations.end(slow);
  EXPECT_EQ(seconds(operations.path(), Cause::h2d), 5);
  EXPECT_EQ(seconds(operations.path(), Cause::generate), 0);
}

/// Three tiles are made one after the other on one core, 2, 3 and 4 s, then the last one is copied for 1 s:
/// of the 9 s 5 were waiting for the core, 4 for the tile that was needed.
TEST(Operations, QueueingIsNotWaitingForAResult) {
  Clock clock;
  Operations operations(clock, 0, kGpus, nullptr);
  OperationId id = 0;
  for (const double seconds : {2.0, 3.0, 4.0}) {
    const auto started = operations.start<GenerateOperation>(Cause::generate, kHost);
    id = started.id;
    started.event.bytes = 10;
    clock.time += seconds;
    operations.end(id);
  }
  id = operations.start<LoadOperation>(Cause::h2d, 0).id;
  clock.time += 1;
  operations.end(id);
  const Path path = operations.path();
  EXPECT_EQ(path.seconds(Cause::generate, Part::work), 5);
  EXPECT_EQ(path.seconds(Cause::generate, Part::latency_bound), 4);
  EXPECT_EQ(path.seconds(Cause::h2d, Part::latency_bound), 1);
  EXPECT_EQ(path.longest.seconds, 4);
  EXPECT_EQ(path.longest.bytes, 10);
}

/// A kernel that holds the core for 3 s before a tile is made: work where they share cores, else a result.
TEST(Operations, KernelsOnCoresAndGenerationWaitForEachOther) {
  for (const bool shared : {false, true}) {
    Clock clock;
    Operations operations(clock, 0, shared ? kCores : kGpus, nullptr);
    OperationId id = operations.start<KernelOperation>(Cause::kernel, 0).id;
    clock.time = 3;
    operations.end(id);
    id = operations.start<GenerateOperation>(Cause::generate, kHost).id;
    const Path path = operations.end(id).path;
    EXPECT_EQ(path.seconds(Cause::kernel, Part::work), shared ? 3 : 0);
    EXPECT_EQ(path.seconds(Cause::kernel, Part::latency_bound), shared ? 0 : 3);
  }
}

/// Two products wait at a core from 0 on and are computed from 1 to 3 and from 3.5 to 5.
TEST(Operations, ACoreIsNotBusyWhileProductsWait) {
  Clock clock;
  Operations operations(clock, 0, kCores, nullptr);
  const OperationId first = operations.start<KernelOperation>(Cause::kernel, 0).id;
  const OperationId second = operations.start<KernelOperation>(Cause::kernel, 0).id;
  clock.time = 6;
  operations.end(first, {.began_s = 1, .ended_s = 3});
  operations.end(second, {.began_s = 3.5, .ended_s = 5});
  EXPECT_EQ(operations.busy_seconds(Cause::kernel, 0), 3.5);
}

/// A copy of 10 s: 4 of software, 5 beside others, 1 its own.
TEST(Operations, TheBackEndSaysHowTheTimeWasMadeUp) {
  Clock clock;
  Operations operations(clock, 0, kGpus, nullptr);
  const OperationId id = operations.start<LoadOperation>(Cause::h2d, 0).id;
  clock.time = 10;
  EXPECT_EQ(operations.end(id, {4, 5}).event.software_s, 4);
  const Path path = operations.path();
  EXPECT_EQ(path.seconds(Cause::h2d, Part::software), 4);
  EXPECT_EQ(path.seconds(Cause::h2d, Part::work), 5);
  EXPECT_EQ(path.seconds(Cause::h2d, Part::latency_bound), 1);
  EXPECT_EQ(path.total(), 10);
}

// |--1--|
//    |--2--|        |3|       [0, 5] and [9, 10]: 6 seconds.
TEST(BusyTime, CountsOverlapsOnce) {
  BusyTime busy;
  busy.begin(0);
  busy.begin(2);
  busy.end(3);
  EXPECT_EQ(busy.seconds(), 0);
  busy.end(5);
  busy.begin(9);
  busy.end(10);
  EXPECT_EQ(busy.seconds(), 6);
}

/// Kernels of device 0 from 0 to 1, of device 1 from 1 to 3, a copy to device 1 from 3 to 6, one from host
/// memory to the network from 6 to 10.
TEST(Operations, BusyTimesOfDevicesAndCausesAreApart) {
  Clock clock;
  Operations operations(clock, 0, kGpus, nullptr);
  const auto run = [&](OperationId id, double until) {
    clock.time = until;
    operations.end(id);
  };
  run(operations.start<KernelOperation>(Cause::kernel, 0).id, 1);
  run(operations.start<KernelOperation>(Cause::kernel, 1).id, 3);
  run(operations.start<LoadOperation>(Cause::h2d, 1).id, 6);
  run(operations.start<SendOperation>(Cause::network, kHost).id, 10);
  EXPECT_EQ(operations.busy_seconds(Cause::kernel, 0), 1);
  EXPECT_EQ(operations.busy_seconds(Cause::kernel, 1), 2);
  EXPECT_EQ(operations.busy_seconds(Cause::h2d, 0), 0);
  EXPECT_EQ(operations.busy_seconds(Cause::h2d, 1), 3);
  EXPECT_EQ(operations.busy_seconds(Cause::network, kHost), 4);
  EXPECT_EQ(operations.busy_seconds(Cause::kernel, kHost), 0);
}

}  // namespace
}  // namespace foretile::operations_test
