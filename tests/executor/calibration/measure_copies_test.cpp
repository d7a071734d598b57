// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <vector>

#include "base/time_budget.hpp"
#include "executor/gpu/stand_in.hpp"
#include "tests/executor/calibration/timed_gpu.hpp"

namespace foretile::measure_copies_test {
namespace {

const std::vector<std::int64_t> sizes = {4096, 1 << 16, 1 << 20};

/// What calls took, and how long the measurement was busy with anything else.
class Watched {
 public:
  /// Runs the measurement.
  template <class Measure>
  Watched(std::initializer_list<const TimedGpu*> gpus, const Measure& measure) {
    const TimeBudget clock;
    measure();
    outside_s_ = clock.elapsed();
    for (const TimedGpu* gpu : gpus) {
      for (const TimedGpu::ByteCall& call : gpu->byte_calls()) {
        calls_.push_back(call);
        outside_s_ -= call.seconds;
      }
    }
  }

  /// Whatever else runs: a figure of calls with so many bytes, which were `together` in a sample, lies
  /// between the shortest of them and the longest with its share of what passed outside of all.
  void expect_call(double seconds, double bytes, int together = 1) const {
    SCOPED_TRACE(testing::Message() << bytes << " bytes");
    double shortest = std::numeric_limits<double>::infinity(), longest = 0;
    for (const TimedGpu::ByteCall& call : calls_) {
      if (call.bytes != bytes) continue;
      shortest = std::min(shortest, call.seconds);
      longest = std::max(longest, call.seconds);
    }
    EXPECT_GE(seconds, shortest * (1 - 1e-9));
    EXPECT_LE(seconds, (longest + outside_s_ / together) * (1 + 1e-9));
  }

 private:
  std::vector<TimedGpu::ByteCall> calls_;
  double outside_s_ = 0;
};

/// One copy at a time, each late by so much that what passes between them is little beside it.
TEST(MeasureGpuCopies, FindsKnownTimes) {
  StandInGpus gpus({.count = 2, .memory_bytes = 1 << 26});
  const TimedGpuRates rates{.latency_s = 4e-3, .bytes_per_s = 1e9};
  TimedGpu first(rates), second(rates);
  GpuCopies found;
  const Watched all({&first, &second}, [&] {
    found = measure_gpu_copies(gpus, {&first, &second}, sizes, 0.1);
  });
  for (const CopyCurve* curve : {&found.in, &found.out, &found.peer}) {
    ASSERT_EQ(curve->samples.size(), sizes.size());
    for (const CopySample& s : curve->samples) {
      all.expect_call(s.alone_s, static_cast<double>(s.bytes));
      all.expect_call(s.queued_s, static_cast<double>(s.bytes));
    }
    const CopySample &small = curve->samples.front(), &large = curve->samples.back();
    const double bandwidth = static_cast<double>(large.bytes) / large.queued_s;
    EXPECT_DOUBLE_EQ(curve->link.bandwidth_bytes_per_s, bandwidth);
    EXPECT_NEAR(curve->link.latency_s,
                std::max(0.0, small.alone_s - static_cast<double>(small.bytes) / bandwidth), 1e-12);
  }
  // 16 copies on the faster of two lanes, and some on the other.
  for (const SharedCopies& shared : {found.both, found.all_in})
    all.expect_call((1 << 20) / shared.bytes_per_s, 1 << 20, 17);
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
  MakeRate found;
  const Watched all({&gpu}, [&] { found = measure_making(gpus, gpu, 1 << 16, 0.05); });
  all.expect_call((8 << 16) / found.bytes_per_s, 8 << 16);
}

}  // namespace
}  // namespace foretile::measure_copies_test
