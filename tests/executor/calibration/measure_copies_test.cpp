// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_copies.hpp"

#include <gtest/gtest.h>

#include "executor/gpu/stand_in.hpp"
#include "tests/executor/calibration/timed_gpu.hpp"

namespace foretile::measure_copies_test {
namespace {

const std::vector<std::int64_t> sizes = {4096, 1 << 16, 1 << 20};

/// What takes a known time is never measured faster, and slower only by what a busy machine adds.
void expect_rate(double found, double known) {
  EXPECT_LE(found, known);
  EXPECT_GE(found, known / 50);
}

/// 1 GB/s, one copy at a time, each 0.5 ms late.
TEST(MeasureGpuCopies, FindsKnownRates) {
  StandInGpus gpus({.count = 2, .memory_bytes = 1 << 26});
  TimedGpu first({.latency_s = 0.5e-3, .bytes_per_s = 1e9}),
      second({.latency_s = 0.5e-3, .bytes_per_s = 1e9});
  const GpuCopies found = measure_gpu_copies(gpus, {&first, &second}, sizes, 0.1);
  for (const CopyCurve* curve : {&found.in, &found.out, &found.peer}) {
    expect_rate(curve->link.bandwidth_bytes_per_s, 1e9);
    for (const CopySample& s : curve->samples)
      EXPECT_GE(s.alone_s, 0.5e-3 + static_cast<double>(s.bytes) / 1e9);
    EXPECT_GE(curve->link.latency_s, 0.2e-3);
    EXPECT_LE(curve->link.latency_s, curve->samples[0].alone_s);
  }
  expect_rate(found.both.bytes_per_s, 1e9);
  expect_rate(found.all_in.bytes_per_s, 1e9);
}

TEST(MeasureGpuCopies, OneDeviceHasNoPeers) {
  StandInGpus gpus;
  const auto gpu = gpus.open(0, 1);
  const GpuCopies found = measure_gpu_copies(gpus, {gpu.get()}, sizes, 0.2);
  for (const CopyCurve* curve : {&found.in, &found.out}) {
    ASSERT_EQ(curve->samples.size(), 3U);
    EXPECT_EQ(curve->samples[2].bytes, 1 << 20);
    for (const CopySample& s : curve->samples) {
      EXPECT_GT(s.alone_s, 0);
      EXPECT_GT(s.queued_s, 0);
    }
    const double bandwidth = (1 << 20) / curve->samples[2].queued_s;
    EXPECT_NEAR(curve->link.bandwidth_bytes_per_s, bandwidth, 1e-9 * bandwidth);
    EXPECT_GE(curve->link.latency_s, 0);
    EXPECT_LE(curve->link.latency_s, curve->samples[0].alone_s);
  }
  EXPECT_TRUE(found.peer.samples.empty());
  EXPECT_EQ(found.all_in.bytes_per_s, found.in.link.bandwidth_bytes_per_s);
  EXPECT_FALSE(found.when.empty());
}

TEST(MeasureGpuCopies, TwoDevicesArePeers) {
  StandInGpus gpus({.count = 2, .memory_bytes = 1 << 26, .direct = false});
  const auto first = gpus.open(0, 1);
  const auto second = gpus.open(1, 1);
  const GpuCopies found = measure_gpu_copies(gpus, {first.get(), second.get()}, sizes, 0.2);
  EXPECT_EQ(found.peer.samples.size(), 3U);
  EXPECT_FALSE(found.direct);
}

TEST(MeasureMaking, CountsAllTilesOfALaunch) {
  StandInGpus gpus;
  TimedGpu gpu({.bytes_per_s = 100e6});  // 8 tiles: 5 ms
  expect_rate(measure_making(gpus, gpu, 1 << 16, 0.05).bytes_per_s, 100e6);
}

}  // namespace
}  // namespace foretile::measure_copies_test
