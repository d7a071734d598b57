// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "executor/gpu/stand_in.hpp"
#include "tests/executor/calibration/timed_gpu.hpp"

namespace foretile::measure_copies_test {
namespace {

const std::vector<std::int64_t> sizes = {4096, 1 << 16, 1 << 20};

/// What the calls took, one after the other.
class CallTimes {
 public:
  explicit CallTimes(std::initializer_list<const TimedGpu*> gpus) {
    for (const TimedGpu* gpu : gpus)
      calls_.insert(calls_.end(), gpu->byte_calls().begin(), gpu->byte_calls().end());
    std::ranges::sort(calls_, {}, &TimedGpu::ByteCall::begin_s);
    for (std::size_t i = 1; i < calls_.size(); ++i) {
      const double end_s = calls_[i - 1].begin_s + calls_[i - 1].seconds;
      longest_gap_s_ = std::max(longest_gap_s_, calls_[i].begin_s - end_s);
    }
  }

  /// Whatever else runs: a figure is the mean of some calls with so many bytes in a row, and of what passed
  /// between them.
  void expect_mean(double seconds, double bytes, std::size_t least = 1, std::size_t most = 1) const {
    bool found = false;
    for (std::size_t first = 0; first < calls_.size(); ++first) {
      double sum = 0;
      for (std::size_t n = 1; n <= most && first + n <= calls_.size(); ++n) {
        const TimedGpu::ByteCall& call = calls_[first + n - 1];
        if (call.bytes != bytes) break;
        sum += call.seconds;
        const double mean = sum / static_cast<double>(n);
        if (n >= least && mean * (1 - 1e-9) <= seconds && seconds <= (mean + longest_gap_s_) * (1 + 1e-9))
          found = true;
      }
    }
    EXPECT_TRUE(found) << seconds << " s for " << bytes << " bytes, gaps up to " << longest_gap_s_ << " s";
  }

 private:
  std::vector<TimedGpu::ByteCall> calls_;
  double longest_gap_s_ = 0;
};

/// One copy at a time, each so late that a sample has one, and that what passes between them is little.
TEST(MeasureGpuCopies, FindsKnownTimes) {
  StandInGpus gpus({.count = 2, .memory_bytes = 1 << 26});
  const TimedGpuRates rates{.latency_s = 4e-3, .bytes_per_s = 1e9};
  TimedGpu first(rates), second(rates);
  const GpuCopies found = measure_gpu_copies(gpus, {&first, &second}, sizes, 0.1);
  const CallTimes calls({&first, &second});
  for (const CopyCurve* curve : {&found.in, &found.out, &found.peer}) {
    ASSERT_EQ(curve->samples.size(), sizes.size());
    for (const CopySample& s : curve->samples) {
      calls.expect_mean(s.alone_s, static_cast<double>(s.bytes));
      calls.expect_mean(s.queued_s, static_cast<double>(s.bytes));
    }
    const CopySample &small = curve->samples.front(), &large = curve->samples.back();
    const double bandwidth = static_cast<double>(large.bytes) / large.queued_s;
    EXPECT_DOUBLE_EQ(curve->link.bandwidth_bytes_per_s, bandwidth);
    EXPECT_NEAR(curve->link.latency_s,
                std::max(0.0, small.alone_s - static_cast<double>(small.bytes) / bandwidth), 1e-12);
  }
  // 16 copies on the faster of two lanes, and some on the other.
  for (const SharedCopies& shared : {found.both, found.all_in})
    calls.expect_mean((1 << 20) / shared.bytes_per_s, 1 << 20, 17, 32);
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
  const GenerationRate found = measure_generation(gpus, gpu, 1 << 16, 0.05);
  CallTimes({&gpu}).expect_mean((8 << 16) / found.bytes_per_s, 8 << 16, 1, 100);
}

}  // namespace
}  // namespace foretile::measure_copies_test
