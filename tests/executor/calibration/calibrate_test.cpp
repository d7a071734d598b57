// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/calibrate.hpp"

#include <gtest/gtest.h>

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
  options.bytes_per_core = 1 << 20;
  options.seconds_per_bandwidth = 0.005;
  return options;
}

TEST(Calibrate, WritesAPlatformThatLoads) {
  const CalibrationResult result = calibrate(tiny());
  EXPECT_EQ(result.samples.size(), 28U);
  const Platform p = parse_platform(calibration_toml(result), "here.toml");
  EXPECT_FALSE(p.estimated);
  EXPECT_EQ(p.devices_per_node(), result.facts.cores);
  EXPECT_NEAR(p.device.kernel.rate_flops_per_s, result.fit.model.rate_flops_per_s,
              1e-3 * result.fit.model.rate_flops_per_s);
  // Any core of this century, and none of the next ones.
  EXPECT_GT(p.device.kernel.rate_flops_per_s, 1e8);
  EXPECT_LT(p.device.kernel.rate_flops_per_s, 1e13);
  EXPECT_GT(p.generation_bytes_per_s_per_core, 1e7);
  EXPECT_GT(p.addition_bytes_per_s_per_core, 1e7);
  EXPECT_EQ(p.cached_addition_bytes_per_s_per_core, 0);  // the cache was not measured
  EXPECT_EQ(result.single_samples.size(), 8U);           // 16 and 128
  EXPECT_GT(p.device.single.rate_flops_per_s, 1e8);
  EXPECT_LT(p.device.single.rate_flops_per_s, 2e13);
  EXPECT_NE(result.fit.model.complex_factor, 1);  // measured
  EXPECT_NEAR(p.device.kernel.complex_factor, result.fit.model.complex_factor,
              1e-3 * result.fit.model.complex_factor);
  EXPECT_NEAR(p.device.single.complex_factor, result.single_fit.model.complex_factor,
              1e-3 * result.single_fit.model.complex_factor);
  EXPECT_GE(result.rounds, 3);
  EXPECT_LE(result.rounds, 4);
  EXPECT_EQ(p.calibration.stable, result.stable);
  EXPECT_NEAR(p.calibration.core_share, result.core_share, 1e-4);
  EXPECT_GT(p.calibration.probe_flops_per_s, 1e7);
  EXPECT_GE(p.solo_speedup, 1);
  EXPECT_NEAR(p.device.kernel.seconds(64, 64, 64), result.fit.model.seconds(64, 64, 64),
              1e-2 * result.fit.model.seconds(64, 64, 64));
  EXPECT_EQ(p.runtime.source, "typical");  // measured by who has MPI
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
  const Platform p = parse_platform(calibration_toml(result), "here.toml");
  EXPECT_EQ(p.device.cache.bytes, 20'000'000);
  EXPECT_DOUBLE_EQ(p.device.cache.factors[4], 0.6);
  EXPECT_DOUBLE_EQ(p.device.cache.factors[5], 1);
}

}  // namespace
}  // namespace foretile::calibrate_test
