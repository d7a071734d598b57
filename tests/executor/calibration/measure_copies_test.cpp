// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_copies.hpp"

#include <gtest/gtest.h>

#include "executor/gpu/stand_in.hpp"

namespace foretile::measure_copies_test {
namespace {

const std::vector<std::int64_t> sizes = {4096, 1 << 16, 1 << 20};

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
  EXPECT_GT(found.both.bytes_per_s, 1e6);
  EXPECT_FALSE(found.when.empty());
}

TEST(MeasureGpuCopies, TwoDevicesArePeers) {
  StandInGpus gpus({.count = 2, .memory_bytes = 1 << 26, .direct = false});
  const auto first = gpus.open(0, 1);
  const auto second = gpus.open(1, 1);
  const GpuCopies found = measure_gpu_copies(gpus, {first.get(), second.get()}, sizes, 0.2);
  EXPECT_EQ(found.peer.samples.size(), 3U);
  EXPECT_GT(found.peer.link.bandwidth_bytes_per_s, 1e6);
  EXPECT_GT(found.all_in.bytes_per_s, 1e6);
  EXPECT_FALSE(found.direct);
}

TEST(MeasureMaking, CountsAllTilesOfALaunch) {
  StandInGpus gpus;
  const auto gpu = gpus.open(0, 1);
  const MakeRate rate = measure_making(gpus, *gpu, 1 << 16, 0.05);
  EXPECT_GT(rate.bytes_per_s, 1e6);
  EXPECT_LT(rate.bytes_per_s, 1e12);
}

}  // namespace
}  // namespace foretile::measure_copies_test
