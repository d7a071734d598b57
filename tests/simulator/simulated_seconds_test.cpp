// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simulated_seconds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "planner/problem/kinds/dense.hpp"
#include "simulator/reference_engine.hpp"
#include "tests/simulator/hand_worked.hpp"

namespace foretile::simulated_seconds_test {
namespace {

/// 2 chunks: 1000 / 16 products. Of the loads an eighth of a chunk is 100,000 / 16 bytes, and a 256th of what
/// each of two devices loads 100,000 / 512.
TEST(SimulatedSeconds, GroupsArePartsOfAChunkAndOfADevice) {
  DenseParameters parameters;
  parameters.m = parameters.n = 16;
  parameters.k = parameters.tile = 8;
  PlannedWork work = plan_work(dense_contraction(parameters), small_machine(2, 1, 1 << 20, 1 << 30), {});
  work.summary.gemms = 1000;
  work.summary.chunks = 2;
  work.summary.h2d_bytes = 100'000;
  EXPECT_EQ(coarse_groups(work).products, 62);
  EXPECT_EQ(coarse_groups(work).copy_bytes, 195);
  work.summary.chunks = 1000;  // smaller than that
  EXPECT_EQ(coarse_groups(work).products, 1);
  EXPECT_EQ(coarse_groups(work).copy_bytes, 12);
}

/// 80 us to make B and 2000 for the kernel: known to take longer than 2000, and not longer than 2100.
TEST(SimulatedSeconds, EndWhereTheyAreTooMany) {
  const PlannedWork work = plan_work(one_product, machine(1, 1), {});
  const auto micros_until = [&](double stop_us) {
    return simulated_seconds()(work.plan, work.summary, work.contraction, work.machine, stop_us * kMicro) /
           kMicro;
  };
  EXPECT_NEAR(micros_until(2100), 2080, kPrecision);
  EXPECT_TRUE(std::isinf(micros_until(2000)));
}

/// Every program has the fluid engine, and chooses by it.
TEST(SimulatedSeconds, AreOfTheFluidEngine) {
  const PlannedWork work = plan_work(one_product, machine(1, 1), {});
  simulated_seconds()(work.plan, work.summary, work.contraction, work.machine, 1);
  EXPECT_FALSE(reference_engine() && reference_engine()->is_used());
}

}  // namespace
}  // namespace foretile::simulated_seconds_test
