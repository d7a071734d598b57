// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/run_probe.hpp"

#include <gtest/gtest.h>

#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "platforms/loader.hpp"
#include "simulator/simulation.hpp"

namespace foretile::run_probe_test {
namespace {

/// Two cores that do nothing but multiply.
constexpr const char* kCores = R"(name = "cores"
nodes = 1
sockets_per_node = 1
ranks_per_node = 1
[socket]
cores = 2
devices = 2
memory = "8 GB"
memory_bandwidth = "1000 GB/s"
[device]
kind = "core"
memory = "1 GB"
[device.kernel]
rate = "1 Gflop/s"
half_m = 0
half_n = 0
half_k = 0
latency = 0
streams = 1
[message]
latency = "1 us"
bandwidth = "10 GB/s"
[generation]
rate = "1000 GB/s"
[runtime]
source = "none"
[calibration]
probe_rate = "1 Gflop/s"
)";

PlannedWork cube(const std::vector<std::string>& settings = {}) {
  DenseParameters dense;
  dense.m = dense.n = dense.k = 400;
  dense.tile = 100;
  Contraction contraction = build_contraction({"cube", dense_problem_toml(dense), ""});
  return plan_work(std::move(contraction), make_machine(parse_platform(kCores, "cores.toml", settings), {}),
                   {{"strategy", "stationary-c"}});
}

Probes probes(double before, double after) {
  return {1e9, {before, {before, before}}, {after, {after, after}}};
}

/// At the calibrated rate the time is the prediction; at half of it products take twice as long, and all else
/// takes next to nothing.
TEST(PredictAgain, IsFromTheTimeAtTheOneRateToThatAtTheOther) {
  const PlannedWork work = cube();
  const double predicted_s = simulate(work.plan, work.contraction, work.machine).makespan_s;
  const auto again = predict_again(work, probes(1e9, 0.5e9));
  ASSERT_TRUE(again);
  EXPECT_DOUBLE_EQ(again->low_s, predicted_s);
  EXPECT_NEAR(again->high_s, 2 * predicted_s, 1e-3 * predicted_s);
  EXPECT_EQ(again->simulations, 2);
}

/// One core at half of the rate: it has half of the products, and ends last.
TEST(PredictAgain, TakesTheRateOfEachCore) {
  const PlannedWork work = cube();
  const double predicted_s = simulate(work.plan, work.contraction, work.machine).makespan_s;
  const CoreRates uneven{0.75e9, {1e9, 0.5e9}};
  const auto again = predict_again(work, {1e9, uneven, uneven});
  ASSERT_TRUE(again);
  EXPECT_GT(again->high_s, 1.2 * predicted_s);
  EXPECT_LT(again->high_s, 2.01 * predicted_s);
}

/// What the probe measures is not drawn; the noise of kernels is.
TEST(PredictAgain, HasTheNoiseThatNoProbeMeasures) {
  const PlannedWork measured = cube({"platform.noise.node=0.2", "platform.noise.device=0.2"});
  const auto none = predict_again(measured, probes(1e9, 1e9));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->low_s, none->high_s);
  const auto some = predict_again(cube({"platform.noise.model=0.05"}), probes(1e9, 1e9));
  ASSERT_TRUE(some);
  EXPECT_EQ(some->simulations, 20);
  EXPECT_LT(some->low_s, none->low_s);
  EXPECT_GT(some->high_s, none->high_s);
}

TEST(PredictAgain, NeedsRates) {
  EXPECT_FALSE(predict_again(cube(), {}));
  EXPECT_FALSE(predict_again(cube(), {1e9, {}, {}}));
}

}  // namespace
}  // namespace foretile::run_probe_test
