#include "platforms/kernel_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretile {
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
  // 2 * 64^3 = 524288 flop at 1e9 flop/s: 524.288 us, times 3 at 64. At (32 * 64 * 128)^(1/3) = 64 the same.
  KernelModel model{.rate_flops_per_s = 1e9};
  model.factors = {1, 1, 3, 12, 1, 1, 1, 2};
  EXPECT_NEAR(model.seconds(64, 64, 64), 3 * 524.288e-6, 1e-12);
  EXPECT_NEAR(model.seconds(32, 64, 128), 3 * 524.288e-6, 1e-12);
  // Halfway from 64 to 128 in log size, so the factor is sqrt(3 * 12) = 6: 64 * 128 * 64 * sqrt(2) as a cube
  // has the edge 64 * sqrt(2) where m n k = 2^19 * sqrt(2); 2^19.5 is no whole number, 64 * 91 * 128 is near
  // it.
  const double cube = 64.0 * 91 * 128;
  const double share = (std::log2(cube) / 3) - 6;
  EXPECT_NEAR(share, 0.5, 0.01);
  EXPECT_NEAR(model.seconds(64, 91, 128), 2 * cube / 1e9 * 3 * std::pow(4, share), 1e-12);
  // Beyond the table its ends hold: 1 at 16 and below, 2 at 2048 and above.
  EXPECT_NEAR(model.seconds(1, 1, 1), 2e-9, 1e-15);
  EXPECT_NEAR(model.seconds(4096, 4096, 4096), 2 * 2 * std::pow(4096.0, 3) / 1e9, 1e-6);
}

}  // namespace
}  // namespace foretile
