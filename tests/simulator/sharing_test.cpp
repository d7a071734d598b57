// SPDX-License-Identifier: BSD-3-Clause
// Cores beside GPUs in the simulation.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "platforms/loader.hpp"
#include "tests/simulator/hand_worked.hpp"

namespace foretile::simulator_sharing_test {
namespace {

Contraction given(std::vector<std::int64_t> m, std::vector<std::int64_t> n, std::vector<std::int64_t> k) {
  Contraction problem = dense(std::move(m), std::move(n), std::move(k));
  problem.sources.b = Source::given;
  return problem;
}

/// Three cores, each a third as fast as the GPU, share a product: parts of 100 x 34 at most, 2.04 ms. Two
/// columns go to each: 4.08 ms. The GPU alone takes 8, the cores alone 8.16 ms.
TEST(Sharing, CoresMultiplyTogetherByHand) {
  Machine on = machine(1, 1);
  on.platform.core.kernel.rate_flops_per_s = 1e9 / 3;
  const auto with = [&](const char* sharing) {
    return micros(given({100}, {100, 100, 100, 100}, {100}), on,
                  {{"strategy", "owner-b"}, {"sharing", sharing}});
  };
  EXPECT_NEAR(with("planned"), 4080, kPrecision);
  EXPECT_NEAR(with("off"), 8000, kPrecision);
  EXPECT_NEAR(with("cores"), 8160, kPrecision);
}

/// Planned for cores that are together half as fast as the GPU, eight columns: each takes the GPU 2 ms, three
/// cores 4.08 ms (parts of 100 x 34). The GPU is done with its n-th after 2 n ms, the cores after 4.08 n: the
/// GPU gets six, the cores two. In truth the cores are four times slower: as planned, they end after 32.64
/// ms. Where devices take blocks, the GPU, done with its six after 12 ms, takes the cores' second, and all
/// ends with the cores' first after 16.32 ms.
TEST(Sharing, AnotherTakesBlocksOfASlowDevice) {
  Machine planned_for = machine(1, 1);
  planned_for.platform.core.kernel.rate_flops_per_s = 1e9 / 6;
  Machine slower = planned_for;
  slower.platform.core.kernel.rate_flops_per_s = 1e9 / 24;
  const Contraction problem = given({100}, std::vector<std::int64_t>(8, 100), {100});
  const auto makespan = [&](const char* sharing) {
    const Plan plan =
        make_plan(problem, planned_for, {{"strategy", "owner-b"}, {"sharing", sharing}, {"lookahead", "0"}});
    SimulationOptions options;
    options.engine = EngineChoice::fluid;
    return simulate(plan, problem, slower, options).makespan_s / kMicro;
  };
  EXPECT_NEAR(makespan("planned"), 2 * 16320, kPrecision);
  EXPECT_NEAR(makespan("dynamic"), 16320, kPrecision);
}

/// Figure 3 of the "TESSE" paper: 900 x 78,400 by 78,400 x 78,400 in tiles of 900 x 3136, on 20 cores and one
/// or two P100. Together they have at least 90% of what GPUs and cores have alone.
TEST(Sharing, NoDeviceIdlesForLong) {
  const std::vector<std::int64_t> columns(25, 3136);
  const Contraction problem = given({900}, columns, columns);
  for (const int gpus : {1, 2}) {
    const Machine on = make_machine(load_platform("haswell-p100"), {.nodes = {}, .ranks = {}, .gpus = gpus});
    const auto rate = [&](const char* sharing) {
      return 1 / micros(problem, on, {{"strategy", "owner-b"}, {"sharing", sharing}});
    };
    for (const char* sharing : {"planned", "dynamic"})
      EXPECT_GE(rate(sharing), 0.9 * (rate("off") + rate("cores"))) << sharing << ", " << gpus << " GPUs";
  }
}

}  // namespace
}  // namespace foretile::simulator_sharing_test
