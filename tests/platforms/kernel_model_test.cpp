// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/kernel_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretile::kernel_model_test {
namespace {

TEST(KernelModel, ByHand) {
  // 2*100*200*300 = 12e6 flop at 1e9 flop/s: 12 ms; (1 + 100/100)(1 + 100/200)(1 + 60/300) = 2*1.5*1.2 = 3.6;
  // 43.2 ms and 1 ms to start.
  const KernelModel model{
      .rate_flops_per_s = 1e9, .half_m = 100, .half_n = 100, .half_k = 60, .latency_s = 1e-3, .streams = 1};
  EXPECT_NEAR(model.seconds(100, 200, 300), 44.2e-3, 1e-12);
}

TEST(KernelModel, StreamsShareTheLatency) {
  const KernelModel model{
      .rate_flops_per_s = 1e9, .half_m = 0, .half_n = 0, .half_k = 0, .latency_s = 1e-3, .streams = 4};
  EXPECT_NEAR(model.seconds(100, 100, 100), 2e-3 + 0.25e-3, 1e-12);
}

TEST(KernelModel, ALaunchOfSeveralPaysTheLatencyOnce) {
  // 2e6 flop at 1e9 flop/s: 2 ms for each of three, and 1 ms to start.
  const KernelModel model{.rate_flops_per_s = 1e9, .latency_s = 1e-3};
  EXPECT_NEAR(model.seconds(100, 100, 100, 3), 7e-3, 1e-12);
}

TEST(KernelModel, FactorsByHand) {
  // 2 * 256^3 = 33554432 flop at 1e9 flop/s: 33.554432 ms, times 3 at 256. At (128 * 256 * 512)^(1/3) = 256
  // the same.
  KernelModel model{.rate_flops_per_s = 1e9};
  model.factors = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 12, 1, 2};  // 3 at 256, 12 at 512, 2 at 2048
  EXPECT_NEAR(model.seconds(256, 256, 256), 3 * 33.554432e-3, 1e-10);
  EXPECT_NEAR(model.seconds(128, 256, 512), 3 * 33.554432e-3, 1e-10);
  // 256 * 364 * 512 = 47710208, log2 of its cube root 8.5025982: 0.5025982 of the way from 256 to 512, where
  // the factor is 3 * 4^0.5025982 = 6.0216453, of 95.420416 ms.
  EXPECT_NEAR(model.seconds(256, 364, 512), 0.5745883765, 1e-9);
  // Beyond the table its ends hold: 1 at 16 and below, 2 at 2048 and above.
  EXPECT_NEAR(model.seconds(1, 1, 1), 2e-9, 1e-15);
  EXPECT_NEAR(model.seconds(4096, 4096, 4096), 274.877906944, 1e-6);
}

/// Given 0.5 at 24 and 2 at 64: 32 is log(32/24) / log(64/24) = 0.2933 of the way, where the factor is
/// 0.5 * 4^0.2933 = 0.7509; the ends keep what is nearest.
TEST(SizeFactors, GapsAreFilledByHand) {
  SizeFactors factors{};
  factors[1] = 0.5;
  factors[4] = 2;
  complete(factors);
  EXPECT_EQ(factors[0], 0.5);
  EXPECT_NEAR(factors[2], 0.7509, 1e-4);
  EXPECT_EQ(factors[4], 2);
  EXPECT_EQ(factors.back(), 2);
  SizeFactors none{};
  complete(none);
  EXPECT_EQ(none, kNoFactors);
}

/// Each size of the table has its own factor; a size between two has a factor between theirs.
TEST(SizeFactors, FollowTheTable) {
  SizeFactors factors{};
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = 1.0 + static_cast<double>(i);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::int64_t size = kFactorSizes[i];
    EXPECT_NEAR(factor_of(factors, size, size, size), factors[i], 1e-9);
    if (i + 1 == factors.size()) continue;
    const double between = factor_of(factors, size + 2, size + 2, size + 2);
    EXPECT_GT(between, factors[i]);
    EXPECT_LT(between, factors[i + 1]);
  }
}

/// At the points the curve is as measured; far away it has the mean of their factors.
TEST(KernelModel, GoesThroughMeasuredPoints) {
  KernelModel curve{.rate_flops_per_s = 1e12};
  curve.points = {{.m = 64, .n = 64, .k = 64, .flops_per_s = 0.5e12},
                  {.m = 1024, .n = 1024, .k = 1024, .flops_per_s = 2e12}};
  curve.use_points();
  EXPECT_NEAR(2 * 64. * 64 * 64 / curve.work_seconds(64, 64, 64), 0.5e12, 1e6);
  EXPECT_NEAR(2 * 1024. * 1024 * 1024 / curve.work_seconds(1024, 1024, 1024), 2e12, 1e6);
  // In the middle both count alike: factors 2 and 1/2 have the mean 1.
  EXPECT_NEAR(curve.point_factor(256, 256, 256), 1, 1e-12);
  // At 128 the distances are 1 and 3 (times the root of 3): weights 81 to 1.
  EXPECT_NEAR(curve.point_factor(128, 128, 128), std::exp2((81. - 1) / 82), 1e-5);
}

/// Points of a curve with half sizes of 100 give that curve.
TEST(KernelModel, IsFittedToPointsWithoutRate) {
  const KernelModel truth{.rate_flops_per_s = 3e12, .half_m = 100, .half_n = 100, .half_k = 100};
  KernelModel fitted;
  for (const std::int64_t size : {32, 100, 300, 1000, 4000}) {
    const auto x = static_cast<double>(size);
    fitted.points.push_back(
        {.m = x, .n = x, .k = x, .flops_per_s = 2 * x * x * x / truth.work_seconds(size, size, size)});
  }
  fitted.use_points();
  EXPECT_NEAR(fitted.half_m, 100, 5);
  EXPECT_NEAR(fitted.rate_flops_per_s, 3e12, 0.1e12);
  EXPECT_NEAR(fitted.work_seconds(300, 300, 300) / truth.work_seconds(300, 300, 300), 1, 1e-5);
  EXPECT_NEAR(fitted.work_seconds(200, 300, 500) / truth.work_seconds(200, 300, 500), 1, 0.03);
}

}  // namespace
}  // namespace foretile::kernel_model_test
