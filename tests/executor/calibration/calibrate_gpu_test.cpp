// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/calibrate_gpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "executor/calibration/calibration_samples.hpp"
#include "executor/gpu/stand_in.hpp"
#include "platforms/loader.hpp"

namespace foretile::calibrate_gpu_test {
namespace {

GpuCalibrationOptions tiny() {
  GpuCalibrationOptions options;
  options.seconds = 0.5;
  options.sizes = {16, 32, 64};
  options.odd_sizes = {};
  options.lane_tiles = {16, 64};
  options.most_lanes = 2;
  options.batch_tiles = {16, 32};
  options.shape_batch = 4;
  options.batches = {2, 8};
  options.ring_bytes = 3 << 20;
  options.copies = {4096, 1 << 16, 1 << 20};
  options.make_bytes = 1 << 14;
  options.host.bytes_per_core = 6 << 20;
  return options;
}

TEST(CalibrateGpu, LeavesLargeCopiesOutWhereTheTimeIsShort) {
  StandInGpus gpus({.count = 1, .memory_bytes = 100'000'000});
  GpuCalibrationOptions options = tiny();
  options.seconds = 0.01;
  options.copies.push_back(std::int64_t{1} << 28);
  const GpuCopies found = calibrate_gpu(gpus, options).copies;
  for (const CopyCurve* curve : {&found.in, &found.out}) {
    ASSERT_EQ(curve->samples.size(), 3U);
    EXPECT_EQ(curve->samples.back().bytes, 1 << 20);
  }
}

TEST(CalibrateGpu, WritesAPlatformThatLoads) {
  StandInGpus gpus({.count = 1, .memory_bytes = 100'000'000});
  GpuCalibration found = calibrate_gpu(gpus, tiny());
  EXPECT_EQ(found.kernel.samples.size() + found.kernel.left_out, 27U);
  EXPECT_EQ(found.batched.samples.size() + found.batched.left_out, 12U);  // 8 shapes, and 2 cubes x 2
  EXPECT_EQ(found.single.samples.size() + found.single.left_out, 8U);     // 16 and 64

  // Products as small as these may take too little beside their start for one to be measured: it is 1 then.
  found.kernel.fit.model.complex_factor = 1.25;
  found.single_batched.fit.model.complex_factor = 0.75;

  const std::string text = gpu_calibration_toml(found, "here.samples.json");
  const Platform p = parse_platform(text, "here.toml");
  EXPECT_FALSE(p.estimated);
  EXPECT_EQ(p.device.kind, DeviceKind::gpu);
  EXPECT_EQ(p.devices_per_node(), 1);
  EXPECT_EQ(p.device.memory_bytes, 90'000'000);
  EXPECT_EQ(p.device.kernel.streams, found.best_lanes);
  EXPECT_TRUE(p.device.batched.known());
  EXPECT_TRUE(p.device.single.known());
  EXPECT_TRUE(p.device.single_batched.known());
  EXPECT_GT(p.links.both_ways_bytes_per_s, 0);
  EXPECT_GT(p.generation_bytes_per_s_on_device, 1e6);
  EXPECT_GT(p.generation_bytes_per_s_per_core, 1e6);
  EXPECT_NE(text.find("here.samples.json"), std::string::npos);
  EXPECT_NE(text.find("stand-in"), std::string::npos);
  EXPECT_EQ(p.device.kernel.complex_factor, 1.25);
  EXPECT_EQ(p.device.single_batched.complex_factor, 0.75);
  // Rounded to the digits that the file has.
  const double seconds = found.kernel.fit.model.seconds(64, 64, 64);
  EXPECT_NEAR(p.device.kernel.seconds(64, 64, 64), seconds, 1e-2 * seconds);
}

TEST(CalibrateGpu, MeasuresOddSizes) {
  StandInGpus gpus({.count = 1, .memory_bytes = 100'000'000});
  GpuCalibrationOptions options = tiny();
  options.odd_sizes = {7, 13, 19, 31};
  const GpuCalibration found = calibrate_gpu(gpus, options);
  EXPECT_EQ(found.kernel.samples.size() + found.kernel.left_out, 27U + 8U);
  const auto has = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return std::any_of(found.kernel.samples.begin(), found.kernel.samples.end(),
                       [&](const KernelSample& s) { return s.m == m && s.n == n && s.k == k; });
  };
  EXPECT_TRUE(has(7, 7, 7));
  EXPECT_TRUE(has(19, 31, 7));
  const std::vector<std::int64_t> usual = GpuCalibrationOptions{}.odd_sizes;
  EXPECT_EQ(usual, (std::vector<std::int64_t>{95, 383, 767, 1531}));
}

TEST(CalibrateGpu, HasTheCostsOfTheProgressLoop) {
  StandInGpus gpus({.count = 1, .memory_bytes = 100'000'000});
  GpuCalibration found = calibrate_gpu(gpus, tiny());
  EXPECT_EQ(parse_platform(gpu_calibration_toml(found, ""), "here.toml").runtime.source, "typical");
  found.host.runtime = RuntimeFigures{"2025-01-31 12:00", 3e-6, 17e-6, 21e-6, 5e-6, 9e-6, 0.1, 3e9};
  const Platform p = parse_platform(gpu_calibration_toml(found, ""), "here.toml");
  EXPECT_EQ(p.runtime.source, "foretile-run");
  EXPECT_DOUBLE_EQ(p.runtime.copy_overhead_s, 3e-6);
  EXPECT_DOUBLE_EQ(p.runtime.message_overhead_s, 5e-6);
}

TEST(CalibrateGpu, LeavesSinglePrecisionOutWhenAsked) {
  StandInGpus gpus({.count = 1, .memory_bytes = 100'000'000});
  GpuCalibrationOptions options = tiny();
  options.single = false;
  const GpuCalibration found = calibrate_gpu(gpus, options);
  EXPECT_FALSE(found.single.measured());
  EXPECT_FALSE(parse_platform(gpu_calibration_toml(found, ""), "here.toml").device.single.known());
}

TEST(CalibrateGpu, TwoDevicesHaveAPeerLink) {
  StandInGpus gpus({.count = 2, .memory_bytes = 100'000'000});
  const GpuCalibration found = calibrate_gpu(gpus, tiny());
  const Platform p = parse_platform(gpu_calibration_toml(found, ""), "here.toml");
  EXPECT_EQ(p.devices_per_node(), 2);
  EXPECT_GT(p.links.peer.bandwidth_bytes_per_s, 1e6);
}

TEST(CalibrateGpu, StaysWithinItsTime) {
  StandInGpus gpus({.count = 1, .memory_bytes = 1'000'000'000});
  GpuCalibrationOptions options = tiny();
  options.sizes = {64, 512, 1024};  // all 27 take some 8 Gflop, each at least twice
  options.ring_bytes = 24 << 20;
  options.seconds = 0.2;
  const auto start = std::chrono::steady_clock::now();
  const GpuCalibration found = calibrate_gpu(gpus, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(found.kernel.left_out, 1U);
  EXPECT_LT(took.count(), 10);  // a busy machine
}

TEST(CalibrateGpu, SamplesAsJson) {
  StandInGpus gpus({.count = 1, .memory_bytes = 100'000'000});
  GpuCalibration found = calibrate_gpu(gpus, tiny());
  found.host.message = MessageFigures{"", {}, {{1024, 1e-6, 0.1}}};
  const nlohmann::json json = calibration_samples(found);
  EXPECT_EQ(json.at("products").size(), found.kernel.samples.size() + found.batched.samples.size() +
                                            found.single.samples.size() +
                                            found.single_batched.samples.size());
  EXPECT_EQ(json.at("products").front().at("precision"), "double");
  EXPECT_GT(json.at("products").front().at("predicted_s"), 0);
  EXPECT_EQ(json.at("copies").size(), 6U);
  EXPECT_EQ(json.at("messages").at(0).at("bytes"), 1024);
  EXPECT_GT(json.at("figures").at("device_generation_bytes_per_s").at("value"), 0);
}

TEST(CalibrateGpu, RefusesImpossibleOptions) {
  StandInGpus gpus;
  GpuCalibrationOptions options = tiny();
  options.sizes = {0, 64};
  EXPECT_THROW(calibrate_gpu(gpus, options), InputError);
  options = tiny();
  options.copies = {};
  EXPECT_THROW(calibrate_gpu(gpus, options), InputError);
  options = tiny();
  options.seconds = 0;
  EXPECT_THROW(calibrate_gpu(gpus, options), InputError);
}

TEST(CalibrateGpu, SaysWhatMemoryIsMissing) {
  StandInGpus gpus({.count = 1, .memory_bytes = 1'000'000});  // less than the copies take
  try {
    calibrate_gpu(gpus, tiny());
    FAIL();
  } catch (const WorkError& error) {
    EXPECT_NE(std::string(error.what()).find("missing"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace foretile::calibrate_gpu_test
