#include "platforms/kernel_model.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace foretile
