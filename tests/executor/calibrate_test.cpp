#include "executor/calibrate.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "platforms/loader.hpp"

namespace foretile {
namespace {

CalibrationOptions tiny() {
  CalibrationOptions options;
  options.sizes = {16, 64, 128};
  options.seconds_per_shape = 0.002;
  options.bytes_per_core = 1 << 20;
  options.bandwidth_bytes_per_core = 4 << 20;
  options.seconds_per_bandwidth = 0.005;
  return options;
}

TEST(Calibrate, WritesAPlatformThatLoads) {
  const CalibrationResult result = calibrate(tiny());
  EXPECT_EQ(result.samples.size(), 27U);
  const Platform p = parse_platform(calibration_toml(result), "here.toml");
  EXPECT_FALSE(p.estimated);
  EXPECT_EQ(p.devices_per_node(), result.facts.cores);
  EXPECT_NEAR(p.device.kernel.rate_flops_per_s, result.fit.model.rate_flops_per_s,
              1e-3 * result.fit.model.rate_flops_per_s);
  // Any core of this century, and none of the next ones.
  EXPECT_GT(p.device.kernel.rate_flops_per_s, 1e8);
  EXPECT_LT(p.device.kernel.rate_flops_per_s, 1e13);
  EXPECT_GT(p.generation_bytes_per_s_per_core, 1e7);
  EXPECT_EQ(result.single_samples.size(), 8U);  // 16 and 128
  EXPECT_GT(p.device.single.rate_flops_per_s, 1e8);
  EXPECT_LT(p.device.single.rate_flops_per_s, 2e13);
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

TEST(Calibrate, RefusesImpossibleSizes) {
  CalibrationOptions options = tiny();
  options.sizes = {0, 64};
  EXPECT_THROW(calibrate(options), InputError);
  options.sizes = {64};
  EXPECT_THROW(calibrate(options), InputError);
  options = tiny();
  options.bandwidth_bytes_per_core = 1;
  EXPECT_THROW(calibrate(options), InputError);
}

}  // namespace
}  // namespace foretile
