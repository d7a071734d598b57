// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/calibrate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "executor/calibration/round_plan.hpp"
#include "platforms/checks.hpp"
#include "platforms/guesses.hpp"
#include "platforms/loader.hpp"

namespace foretile::calibrate_test {
namespace {

CalibrationOptions tiny() {
  CalibrationOptions options;
  options.sizes = {16, 64, 128};
  options.cubes = {100};
  options.cache = false;
  options.seconds_per_shape = 0.0005;
  options.most_rounds = 4;
  options.settle_s = 0.001;
  options.probe = {.large = 128, .small = 32, .small_products = 20, .bytes = 1 << 20};
  options.bytes_per_core = 1 << 20;
  options.seconds_per_bandwidth = 0.005;
  return options;
}

/// In some order.
using Shapes = std::multiset<std::array<std::int64_t, 3>>;

Shapes shapes_of(const std::vector<KernelSample>& samples) {
  Shapes shapes;
  for (const KernelSample& s : samples) shapes.insert({s.m, s.n, s.k});
  return shapes;
}

Shapes all_shapes(const std::vector<std::int64_t>& sizes) {
  Shapes shapes;
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t k : sizes) shapes.insert({m, n, k});
    }
  }
  return shapes;
}

void expect_written(double written, double measured) {
  EXPECT_GT(measured, 0);
  EXPECT_NEAR(written, measured, 1e-3 * measured);
}

/// What the file says of the samples: one half is nearer than the fit says, the other farther.
void expect_curve(const KernelModel& written, const KernelFit& fit,
                  const std::vector<KernelSample>& samples) {
  constexpr double kRounded = 0.02;
  std::size_t near = 0, far = 0;
  for (const KernelSample& s : samples) {
    const double predicted = written.seconds(s.m, s.n, s.k);
    EXPECT_NEAR(predicted, fit.model.seconds(s.m, s.n, s.k), 1e-2 * predicted);
    const double error = std::abs(predicted / s.seconds - 1);
    if (error < fit.median_error + kRounded) ++near;
    if (error > fit.median_error - kRounded) ++far;
  }
  EXPECT_GE(2 * near, samples.size());
  EXPECT_GE(2 * far, samples.size());
}

TEST(Calibrate, WritesAPlatformThatLoads) {
  const CalibrationResult result = calibrate(tiny());
  Shapes expected = all_shapes({16, 64, 128});
  expected.insert({100, 100, 100});
  EXPECT_EQ(shapes_of(result.samples), expected);
  EXPECT_EQ(shapes_of(result.single_samples), all_shapes({16, 128}));
  const Platform p = parse_platform(calibration_toml(result), "here.toml");
  EXPECT_FALSE(p.estimated);
  EXPECT_EQ(p.devices_per_node(), result.facts.cores);
  expect_curve(p.device.kernel, result.fit, result.samples);
  expect_curve(p.device.single, result.single_fit, result.single_samples);
  expect_written(p.device.kernel.rate_flops_per_s, result.fit.model.rate_flops_per_s);
  expect_written(p.device.single.rate_flops_per_s, result.single_fit.model.rate_flops_per_s);
  expect_written(p.generation_bytes_per_s_per_core, result.generation_bytes_per_s_per_core);
  expect_written(p.addition_bytes_per_s_per_core, result.addition_bytes_per_s_per_core);
  expect_written(p.calibration.probe_flops_per_s, result.probe_flops_per_s);
  expect_written(p.solo_speedup, result.solo_speedup);
  EXPECT_EQ(p.cached_addition_bytes_per_s_per_core, 0);  // the cache was not measured
  EXPECT_NE(result.fit.model.complex_factor, 1);         // measured
  expect_written(p.device.kernel.complex_factor, result.fit.model.complex_factor);
  expect_written(p.device.single.complex_factor, result.single_fit.model.complex_factor);
  EXPECT_GE(result.rounds, 3);
  EXPECT_LE(result.rounds, 4);
  EXPECT_EQ(p.calibration.stable, result.stable);
  EXPECT_NEAR(p.calibration.core_share, result.core_share, 1e-4);
  EXPECT_GE(p.solo_speedup, 1);
  EXPECT_EQ(p.runtime.source, "typical");  // measured by who has MPI
}

/// Whatever else runs: what is done at least takes no longer than the call, three repetitions on each core.
/// At most 64 flop in a cycle of 6 GHz.
TEST(Calibrate, RatesLieBetweenTheCallAndTheMachine) {
  constexpr double kPiece_bytes = 1 << 20, kMost_flops_per_s = 64 * 6e9;
  CalibrationOptions options = tiny();
  options.least_rounds = options.most_rounds = 1;
  const TimeBudget clock;
  const CalibrationResult result = calibrate(options);
  const double took_s = clock.elapsed();
  EXPECT_GT(result.generation_bytes_per_s_per_core, 3 * kPiece_bytes / took_s);
  EXPECT_GT(result.copy_bytes_per_s_per_core, 3 * kPiece_bytes / took_s);
  EXPECT_GT(result.addition_bytes_per_s_per_core, 3 * kPiece_bytes / took_s);
  EXPECT_GT(result.probe_flops_per_s, 3 * options.probe.flops() / took_s);
  EXPECT_LT(result.probe_flops_per_s, kMost_flops_per_s);
  for (const KernelSample& s : result.samples) {
    EXPECT_GT(s.seconds, 2 * static_cast<double>(s.m * s.n * s.k) / kMost_flops_per_s);
    EXPECT_LT(s.seconds, took_s);
  }
}

TEST(Calibrate, KeepsAMeasuredMessage) {
  CalibrationResult result;
  result.facts = {.cores = 2, .memory_bytes = 1'000'000, .host = "a\nb"};
  result.fit.model = {.rate_flops_per_s = 1e9};
  result.generation_bytes_per_s_per_core = result.copy_bytes_per_s_per_core = 1e9;
  result.message = MessageFigures{"2025-01-31 12:00", {2e-6, 3e9}, {{1024, 3e-6, 0.1}}};
  const Platform p = parse_platform(calibration_toml(result), "here.toml");
  EXPECT_DOUBLE_EQ(p.links.message.latency_s, 2e-6);
  EXPECT_DOUBLE_EQ(p.links.message.bandwidth_bytes_per_s, 3e9);
}

/// One rank measures no messages.
TEST(Calibrate, MarksGuessedMessages) {
  CalibrationResult result;
  result.facts = {.cores = 2, .memory_bytes = 1'000'000, .host = "a"};
  result.fit.model = {.rate_flops_per_s = 1e9};
  result.generation_bytes_per_s_per_core = result.copy_bytes_per_s_per_core = 1e9;
  EXPECT_EQ(guessed_keys(parse_platform(calibration_toml(result), "here.toml")),
            (std::vector<std::string>{"message.latency", "message.bandwidth"}));
}

TEST(Calibrate, RefusesImpossibleSizes) {
  CalibrationOptions options = tiny();
  options.sizes = {0, 64};
  EXPECT_THROW(calibrate(options), InputError);
  options.sizes = {64};
  EXPECT_THROW(calibrate(options), InputError);
}

/// Enough for a curve and all that a platform needs; the rest are estimates, and named.
TEST(Calibrate, LeavesOutWhatMattersLeastWithoutTime) {
  CalibrationOptions options = tiny();
  options.cache = true;
  options.budget = TimeBudget(0);
  int written = 0;
  options.essential = [&](const CalibrationResult& so_far) {
    ++written;
    EXPECT_FALSE(parse_platform(calibration_toml(so_far), "here.toml").estimated);
  };
  const CalibrationResult result = calibrate(options);
  EXPECT_EQ(written, 1);
  EXPECT_EQ(result.samples.size(), kLeastShapes);
  EXPECT_EQ(result.rounds, 1);
  EXPECT_FALSE(result.stable);
  EXPECT_TRUE(result.single_samples.empty());
  ASSERT_EQ(result.left_out.size(), 3U);
  const std::string text = calibration_toml(result, {{}, "here.samples.json"});
  EXPECT_TRUE(text.starts_with("# Measured by")) << text;  // `foretile platform list` shows this line
  EXPECT_NE(text.find("here.samples.json"), std::string::npos);
  for (const std::string& what : result.left_out) EXPECT_NE(text.find(what), std::string::npos) << text;
  const Platform p = parse_platform(text, "here.toml");
  EXPECT_NEAR(p.device.single.rate_flops_per_s, 2 * p.device.kernel.rate_flops_per_s,
              1e-3 * p.device.single.rate_flops_per_s);
  EXPECT_EQ(p.device.kernel.complex_factor, 1);
  EXPECT_EQ(p.device.cache.bytes, 0);
}

/// A clock of which every reading takes a second: the first round ends in its midst.
TEST(Calibrate, LooksAtTheClockBetweenProducts) {
  CalibrationOptions options = tiny();
  options.least_rounds = options.most_rounds = 1;
  options.budget = TimeBudget(33, [now = 0.0]() mutable { return now++; });
  const CalibrationResult result = calibrate(options);
  EXPECT_GT(result.samples.size(), kLeastShapes);
  EXPECT_LT(result.samples.size(), 28U);
  for (const KernelSample& s : result.samples) EXPECT_GT(s.seconds, 0);
}

CalibrationResult made_up() {
  CalibrationResult result;
  result.facts = {.cores = 2, .memory_bytes = 1'000'000, .host = "host"};
  result.kernels = "OpenBLAS Zen, libxsmm 1.17 up to 128";
  result.fit.model = {.rate_flops_per_s = 1e9};
  result.generation_bytes_per_s_per_core = result.copy_bytes_per_s_per_core = 1e9;
  result.probe_flops_per_s = 2e9;
  return result;
}

/// 0.6745 times the standard deviation of a normal distribution is the median size.
TEST(Calibrate, WritesTheCurvesErrorAsNoise) {
  CalibrationResult result = made_up();
  result.held_out = HeldOut{0.6745 * 0.04, 0.125};
  const auto written = [&](bool noise) {
    return parse_platform(calibration_toml(result, {noise, ""}), "here.toml").noise.model;
  };
  EXPECT_NEAR(written(true), 0.04, 1e-5);
  EXPECT_EQ(written(false), 0);
}

/// An error of 0 is an error, too.
TEST(Calibrate, SaysWhetherOtherShapesWereCompared) {
  CalibrationResult result = made_up();
  EXPECT_NE(calibration_toml(result).find("Not checked on other shapes"), std::string::npos);
  result.held_out = HeldOut{0, 0.125};
  const std::string text = calibration_toml(result);
  EXPECT_NE(text.find("on the other half: median 0.000, 90th percentile 0.125"), std::string::npos) << text;
}

TEST(Calibrate, WritesTheErrorOnOtherShapes) {
  CalibrationResult result = made_up();
  const auto written = [&] {
    return parse_platform(calibration_toml(result), "here.toml").calibration.error;
  };
  EXPECT_EQ(written(), 0);
  EXPECT_EQ(calibration_toml(result).find("\nerror ="), std::string::npos);  // not measured, not written
  result.held_out = HeldOut{0.0625, 0.125};
  EXPECT_DOUBLE_EQ(written(), 0.0625);
  result.held_out = HeldOut{3, 5};  // more than all of the time
  EXPECT_DOUBLE_EQ(written(), 1);
}

TEST(Calibrate, WritesWhichKernelsMultiplied) {
  EXPECT_EQ(parse_platform(calibration_toml(made_up()), "here.toml").calibration.kernels,
            "OpenBLAS Zen, libxsmm 1.17 up to 128");
}

TEST(Calibrate, SaysThatTheMachineWasBusyOrDrifted) {
  CalibrationResult result = made_up();
  EXPECT_FALSE(was_busy(result));
  EXPECT_TRUE(platform_warnings(parse_platform(calibration_toml(result), "here.toml")).empty());
  result.core_share = 0.06;
  result.stable = false;
  EXPECT_TRUE(was_busy(result));
  const std::string text = calibration_toml(result);
  EXPECT_NE(text.find("WRITTEN BY FORCE"), std::string::npos);
  EXPECT_NE(text.find("NOT STABLE"), std::string::npos);
  const std::vector<std::string> warnings = platform_warnings(parse_platform(text, "here.toml"));
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("ours for 0.06 of the time"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[1].find("speed changed"), std::string::npos) << warnings[1];
}

TEST(Calibrate, WritesAdditionsWhereTheyWereMeasured) {
  CalibrationResult result = made_up();
  EXPECT_EQ(parse_platform(calibration_toml(result), "here.toml").addition_bytes_per_s_per_core, 0);
  result.cache.bytes = 1 << 20;
  result.addition_bytes_per_s_per_core = 3e9;
  result.cached_addition_bytes_per_s_per_core = 8e9;
  result.permuted_addition_bytes_per_s_per_core = 2e9;
  const Platform p = parse_platform(calibration_toml(result), "here.toml");
  EXPECT_DOUBLE_EQ(p.addition_bytes_per_s_per_core, 3e9);
  EXPECT_DOUBLE_EQ(p.cached_addition_bytes_per_s_per_core, 8e9);
  EXPECT_DOUBLE_EQ(p.permuted_addition_bytes_per_s_per_core, 2e9);
}

TEST(Calibrate, WritesNoiseWhereItIsAskedFor) {
  CalibrationResult result = made_up();
  result.kernel_spread = 0.01;
  result.copy_spread = 2;  // at most 1 is allowed
  result.rate_spread = {.node = 0.03, .device = 0.04};
  EXPECT_FALSE(parse_platform(calibration_toml(result), "here.toml").noise.any());
  const Noise noise = parse_platform(calibration_toml(result, {true, {}}), "here.toml").noise;
  EXPECT_EQ(noise.kernel, 0.01);
  EXPECT_EQ(noise.link, 1);
  EXPECT_EQ(noise.device, 0.04);
  EXPECT_EQ(noise.node, 0.03);
}

TEST(Calibrate, WritesSpeedsOfCoresThatDiffer) {
  CalibrationResult result = made_up();
  EXPECT_TRUE(parse_platform(calibration_toml(result), "here.toml").device_speeds.empty());
  for (int core = 0; core < result.facts.cores; ++core) result.core_speeds.push_back(core == 0 ? 1 : 0.625);
  EXPECT_EQ(parse_platform(calibration_toml(result), "here.toml").device_speeds, result.core_speeds);
}

TEST(Calibrate, WritesForetileRunsOwnCosts) {
  CalibrationResult result = made_up();
  result.runtime =
      RuntimeFigures{"2025-01-31 12:00", 3e-6, 17e-6, 21e-6, 5e-6, 9e-6, 0.1, 3e9, 30e-6, 400e-6};
  const Platform p = parse_platform(calibration_toml(result), "here.toml");
  EXPECT_EQ(p.runtime.source, "foretile-run");
  EXPECT_DOUBLE_EQ(p.runtime.operation_overhead_s, 3e-6);
  EXPECT_DOUBLE_EQ(p.runtime.product_overhead_s, 17e-6);
  EXPECT_DOUBLE_EQ(p.runtime.shared_product_overhead_s, 21e-6);
  EXPECT_DOUBLE_EQ(p.runtime.load_overhead_s, 5e-6);
  EXPECT_DOUBLE_EQ(p.runtime.store_overhead_s, 9e-6);
  EXPECT_DOUBLE_EQ(p.runtime.message_copy_bytes_per_s, 3e9);
  EXPECT_DOUBLE_EQ(p.runtime.look_overhead_s, 30e-6);
  EXPECT_DOUBLE_EQ(p.runtime.polling_delay_s, 400e-6);
}

TEST(Calibrate, WritesTheCacheWhereOneWasFelt) {
  CalibrationResult result = made_up();
  EXPECT_EQ(parse_platform(calibration_toml(result), "here.toml").device.cache.bytes, 0);
  result.cache.bytes = 20'000'000;
  result.cache.factors[4] = 0.6;
  result.cache.kept = {1, 0.9, 0.5};
  const Platform p = parse_platform(calibration_toml(result), "here.toml");
  EXPECT_EQ(p.device.cache.bytes, 20'000'000);
  EXPECT_DOUBLE_EQ(p.device.cache.factors[4], 0.6);
  EXPECT_DOUBLE_EQ(p.device.cache.factors[5], 1);
  EXPECT_EQ(p.device.cache.kept, result.cache.kept);
}

}  // namespace
}  // namespace foretile::calibrate_test
