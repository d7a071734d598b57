// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/device_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace foretile::device_model_test {
namespace {

/// Latencies of 1, 2, 4, 8 ms; 1, 2, 4, 8 Gflop/s.
DeviceModel device() {
  DeviceModel d;
  d.kernel = {.rate_flops_per_s = 1e9, .latency_s = 1e-3};
  d.batched = {.rate_flops_per_s = 2e9, .latency_s = 2e-3};
  d.single = {.rate_flops_per_s = 4e9, .latency_s = 4e-3};
  d.single_batched = {.rate_flops_per_s = 8e9, .latency_s = 8e-3};
  return d;
}

// 2 Mflop and 4 Mflop.
constexpr std::array<ProductSize, 2> sizes = {{{100, 100, 100}, {200, 100, 100}}};

TEST(DeviceModel, LaunchOfOneProduct) {
  const std::span<const ProductSize> one(sizes.data(), 1);
  EXPECT_NEAR(device().launch_seconds(Precision::f64, one), 1e-3 + 2e-3, 1e-12);
  EXPECT_NEAR(device().launch_seconds(Precision::f32, one), 4e-3 + 0.5e-3, 1e-12);
}

TEST(DeviceModel, LaunchOfSeveralHasCurvesOfItsOwn) {
  EXPECT_NEAR(device().launch_seconds(Precision::f64, sizes), 2e-3 + 3e-3, 1e-12);
  EXPECT_NEAR(device().launch_seconds(Precision::f32, sizes), 8e-3 + 0.75e-3, 1e-12);
}

TEST(DeviceModel, WithoutThemItIsOneProductAfterTheOtherWithOneLatency) {
  DeviceModel d = device();
  d.batched = d.single_batched = {};
  EXPECT_NEAR(d.launch_seconds(Precision::f64, sizes), 1e-3 + 6e-3, 1e-12);
  EXPECT_NEAR(d.launch_seconds(Precision::f32, sizes), 4e-3 + 1.5e-3, 1e-12);
}

/// Vector units: 2 Mflop at 0.5 Gflop/s. Emulated: each product starts alone. Single precision stays.
TEST(DeviceModel, OtherArithmeticHasItsCurve) {
  DeviceModel d = device();
  d.vector = {.rate_flops_per_s = 0.5e9, .latency_s = 1e-3};
  d.emulated = {.rate_flops_per_s = 4e9, .latency_s = 5e-3};
  d.arithmetic = "vector";
  EXPECT_NEAR(d.launch_seconds(Precision::f64, sizes), 1e-3 + 12e-3, 1e-12);
  d.arithmetic = "emulated";
  EXPECT_NEAR(d.launch_seconds(Precision::f64, sizes), 2 * 5e-3 + 1.5e-3, 1e-12);
  EXPECT_NEAR(d.launch_seconds(Precision::f32, sizes), 8e-3 + 0.75e-3, 1e-12);
}

TEST(DeviceModel, StreamsHideTheLatencyOfBatchesToo) {
  DeviceModel d = device();
  d.batched.streams = 2;
  EXPECT_NEAR(d.launch_seconds(Precision::f64, sizes), 1e-3 + 3e-3, 1e-12);
}

TEST(DeviceModel, NothingTakesNoTime) {
  EXPECT_EQ(device().launch_seconds(Precision::f64, {}), 0);
}

/// Of 1000 bytes: 0.8 at 200, 0.4 at 400; 300 is log2(1.5) of the way.
TEST(CacheModel, TheGainFadesByHand) {
  CacheModel cache;
  cache.bytes = 1000;
  EXPECT_EQ(cache.kept_after(1000), 1);  // not known
  EXPECT_EQ(cache.kept_after(1001), 0);
  cache.kept = {1, 0.8, 0.4, 0.4, 0.1, 0.1, 0.05};
  EXPECT_DOUBLE_EQ(cache.kept_after(1), 1);
  EXPECT_DOUBLE_EQ(cache.kept_after(100), 1);
  EXPECT_DOUBLE_EQ(cache.kept_after(200), 0.8);
  EXPECT_NEAR(cache.kept_after(300), 0.8 - 0.4 * std::log2(1.5), 1e-12);
  EXPECT_NEAR(cache.kept_after(6400), 0.05, 1e-12);
  EXPECT_EQ(cache.kept_after(6401), 0);
}

}  // namespace
}  // namespace foretile::device_model_test
