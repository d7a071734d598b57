#include "executor/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile {
namespace {

std::vector<KernelSample> samples_of(const KernelModel& model, double noise, std::uint64_t seed) {
  Random random(seed);
  std::vector<KernelSample> samples;
  for (const std::int64_t m : {64, 128, 256, 512, 1024}) {
    for (const std::int64_t n : {64, 128, 256, 512, 1024}) {
      for (const std::int64_t k : {64, 128, 256, 512, 1024}) {
        samples.push_back({m, n, k, model.seconds(m, n, k) * std::exp(noise * random.normal())});
      }
    }
  }
  return samples;
}

TEST(FitKernelModel, FindsTheModelBehindExactTimes) {
  const KernelModel truth{
      .rate_flops_per_s = 52e9, .half_m = 8, .half_n = 3, .half_k = 17, .latency_s = 2e-6, .streams = 1};
  const KernelFit fit = fit_kernel_model(samples_of(truth, 0, 1));
  EXPECT_NEAR(fit.model.rate_flops_per_s, 52e9, 1e6);
  EXPECT_NEAR(fit.model.half_m, 8, 1e-3);
  EXPECT_NEAR(fit.model.half_n, 3, 1e-3);
  EXPECT_NEAR(fit.model.half_k, 17, 1e-3);
  EXPECT_NEAR(fit.model.latency_s, 2e-6, 1e-9);
  EXPECT_LT(fit.p90_error, 1e-4);
}

TEST(FitKernelModel, StaysNearUnderNoiseAndReportsIt) {
  const KernelModel truth{
      .rate_flops_per_s = 7e12, .half_m = 51, .half_n = 25, .half_k = 66, .latency_s = 7e-6, .streams = 1};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const KernelFit fit = fit_kernel_model(samples_of(truth, 0.05, seed));
    EXPECT_NEAR(fit.model.rate_flops_per_s, 7e12, 0.05 * 7e12) << "seed " << seed;
    // The median of |x| for a normal x of deviation 0.05 is 0.034.
    EXPECT_NEAR(fit.median_error, 0.034, 0.012) << "seed " << seed;
    EXPECT_GT(fit.p90_error, fit.median_error);
  }
}

TEST(FitKernelModel, KeepsParametersAtZeroOrAbove) {
  // Times that fall with size per flop faster than the model can: half sizes of 0 are the best it has.
  std::vector<KernelSample> samples = samples_of({.rate_flops_per_s = 1e9}, 0, 1);
  for (KernelSample& s : samples) s.seconds *= static_cast<double>(s.m);
  const KernelFit fit = fit_kernel_model(samples);
  EXPECT_GE(fit.model.half_m, 0);
  EXPECT_GE(fit.model.latency_s, 0);
  EXPECT_TRUE(std::isfinite(fit.model.rate_flops_per_s));
}

/// As above, but launches of 16: the latency is found although it is a small part of them.
TEST(FitKernelModel, FindsTheModelBehindBatches) {
  const KernelModel truth{
      .rate_flops_per_s = 52e9, .half_m = 8, .half_n = 3, .half_k = 17, .latency_s = 2e-4, .streams = 1};
  std::vector<KernelSample> samples = shapes_of({16, 64, 256});
  for (std::size_t i = 0; i < samples.size(); ++i) {
    KernelSample& s = samples[i];
    s.batch = i % 2 == 0 ? 16 : 4;
    s.seconds = truth.seconds(s.m, s.n, s.k, s.batch);
  }
  const KernelFit fit = fit_kernel_model(samples);
  EXPECT_NEAR(fit.model.rate_flops_per_s, 52e9, 1e6);
  EXPECT_NEAR(fit.model.latency_s, 2e-4, 1e-8);
  EXPECT_NEAR(fit.model.half_k, 17, 1e-2);
}

TEST(EverySecond, KeepsTheLast) {
  EXPECT_EQ(every_second({1, 2, 3, 4, 5}), (std::vector<std::int64_t>{1, 3, 5}));
  EXPECT_EQ(every_second({1, 2, 3, 4}), (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(every_second({1, 2}), (std::vector<std::int64_t>{1, 2}));
}

TEST(FitKernelModel, RefusesTooFewOrImpossibleSamples) {
  EXPECT_THROW(fit_kernel_model({}), WorkError);
  EXPECT_THROW(fit_kernel_model(std::vector<KernelSample>(5, {1, 1, 1, 0})), WorkError);
  EXPECT_THROW(fit_kernel_model(std::vector<KernelSample>(5, {1, 1, 1, NAN})), WorkError);
}

}  // namespace
}  // namespace foretile
