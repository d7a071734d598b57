// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/product.hpp"

#include <gtest/gtest.h>

#include <array>

namespace foretile::product_test {
namespace {

/// Launches of 1 ms, of several products of 3 ms; 1 Gflop/s, several 2. Complex products take 4 x 1.5 times
/// as long.
DeviceModel model() {
  DeviceModel d;
  d.kernel = {.rate_flops_per_s = 1e9, .latency_s = 1e-3, .complex_factor = 1.5};
  d.batched = {.rate_flops_per_s = 2e9, .latency_s = 3e-3};
  return d;
}

constexpr ElementType kReal{}, kComplex{Precision::f64, true};
// 2 and 4 Mflop.
constexpr std::array<ProductSize, 2> kSizes = {{{100, 100, 100}, {200, 100, 100}}};

/// Cores whose cache halves the time of their products, by two devices in a rank.
Machine cores() {
  Machine m;
  m.devices_per_rank = 2;
  m.platform.device = model();
  m.platform.device.kind = DeviceKind::core;
  m.platform.device.cache.bytes = 1;
  m.platform.device.cache.factors.fill(0.5);
  m.platform.runtime.product_overhead_s = 4e-3;
  m.platform.runtime.shared_product_overhead_s = 5e-3;
  return m;
}

TEST(ProductCost, OfALaunch) {
  const KernelTime one = launch_time(model(), kReal, std::span(kSizes).first(1));
  EXPECT_DOUBLE_EQ(one.launch_s, 1e-3);
  EXPECT_DOUBLE_EQ(one.work_s, 2e-3);
  EXPECT_DOUBLE_EQ(launch_time(model(), kComplex, std::span(kSizes).first(1)).work_s, 12e-3);
  KernelTime both = launch_time(model(), kReal, kSizes);
  both += one;
  EXPECT_DOUBLE_EQ(both.launch_s, 4e-3);
  EXPECT_DOUBLE_EQ(both.work_s, 3e-3 + 2e-3);
}

/// Two starts of 5 ms, and 6 Mflop at 4 Gflop/s; complex products have four times the work and no more
/// starts.
TEST(ProductCost, EachEmulatedProductStarts) {
  DeviceModel d = model();
  d.arithmetic = "emulated";
  d.emulated = {.rate_flops_per_s = 4e9, .latency_s = 5e-3};
  EXPECT_DOUBLE_EQ(launch_time(d, kReal, kSizes).launch_s, 10e-3);
  EXPECT_DOUBLE_EQ(launch_time(d, kReal, kSizes).work_s, 1.5e-3);
  EXPECT_DOUBLE_EQ(launch_time(d, kComplex, kSizes).launch_s, 10e-3);
  EXPECT_DOUBLE_EQ(launch_time(d, kComplex, kSizes).work_s, 6e-3);
}

TEST(ProductCost, OnACoreFollowsItsCache) {
  const DeviceModel core = cores().platform.device;
  EXPECT_DOUBLE_EQ(product_time(core, kReal, kSizes[0], 0).work_s, 2e-3);
  EXPECT_DOUBLE_EQ(product_time(core, kReal, kSizes[0], 1).work_s, 1e-3);
  EXPECT_DOUBLE_EQ(product_time(core, kReal, kSizes[0], -1).work_s, 3e-3);
  EXPECT_DOUBLE_EQ(product_time(core, kComplex, kSizes[0], 1).work_s, 6e-3);
  EXPECT_DOUBLE_EQ(product_time(core, kReal, kSizes[0], 0).launch_s, 1e-3);
}

/// The calibration loads an eighth of A, all of B, and C twice: 1 + 4 + 6 = 11 of 8, 4 and 3 bytes.
TEST(ProductCost, TheCalibrationKeepsAForEightProducts) {
  const ProductBytes all{8, 4, 3};
  EXPECT_DOUBLE_EQ(cached_share(all, {1, 4, 3}), 0);
  EXPECT_DOUBLE_EQ(cached_share(all, {0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(cached_share(all, {8, 4, 3}), 1 - 18.0 / 11);
  EXPECT_DOUBLE_EQ(cached_share({8, 0, 0}, {8, 0, 0}), 1 - kProductsWithA);
}

TEST(ProductCost, CoresAreHandedOneProductAfterTheOther) {
  Machine m = cores();
  EXPECT_EQ(hand_over_s(m), 5e-3);
  m.devices_per_rank = 1;
  EXPECT_EQ(hand_over_s(m), 4e-3);
  m.platform.device.kind = DeviceKind::gpu;
  EXPECT_EQ(hand_over_s(m), 0);
}

/// On a GPU five products in launches of two: three launches, each as the shorter latency; the faster curve.
TEST(LeastTimes, OfBatches) {
  Machine m;
  m.platform.device = model();
  const LeastTimes least(m, kReal, 2);
  EXPECT_DOUBLE_EQ(least.launches(5), 3e-3);
  EXPECT_DOUBLE_EQ(least.work(100, 100, 100), 1e-3);
  EXPECT_DOUBLE_EQ(LeastTimes(m, kComplex, 1).work(100, 100, 100), 12e-3);
}

/// All in the cache, alone on the node: a quarter. Where products on cached tiles took longer, those that
/// load all of A would take least: 1 + 7 x (1 - 1.125) = 0.125 of the time.
TEST(LeastTimes, OfCoresAlone) {
  Machine m = cores();
  m.platform.solo_speedup = 2;
  EXPECT_DOUBLE_EQ(LeastTimes(m, kReal, 1).work(100, 100, 100), 2e-3 / 4);
  EXPECT_DOUBLE_EQ(LeastTimes(m, kReal, 1).launches(1), (1e-3 + 5e-3) / 2);
  m.platform.device.cache.factors.fill(1.125);
  EXPECT_DOUBLE_EQ(LeastTimes(m, kReal, 1).work(100, 100, 100), 2e-3 * 0.125 / 2);
}

/// Four cores beside GPUs: each has 50 x 50 of C.
TEST(LeastTimes, OfCoresThatShareAProduct) {
  Machine m;
  m.platform.device = model();
  m.platform.core.kernel = {.rate_flops_per_s = 1e8};
  EXPECT_DOUBLE_EQ(LeastTimes(m, kReal, 1, DeviceKind::core, 4).work(100, 100, 100), 5e-3);
}

}  // namespace
}  // namespace foretile::product_test
