// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/round_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace foretile::round_plan_test {
namespace {

const std::vector<std::int64_t> sizes = {10, 20, 100, 200, 1000};

std::int64_t largest(const RoundPlan& plan) {
  std::int64_t most = 0;
  for (const KernelSample& s : plan.shapes) most = std::max(most, s.m * s.n * s.k);
  return most;
}

TEST(RoundPlan, HasAllShapesWhereTimeIsNotLimited) {
  const RoundPlan plan = plan_round(sizes, {50, 60}, {1e9, 0.02});
  EXPECT_EQ(plan.shapes.size(), 127U);
  EXPECT_EQ(plan.seconds_per_shape, 0.02);
  EXPECT_EQ(largest(plan), 1'000'000'000);
}

/// 127 shapes of 20 ms take 2.5 s and their products at 1 Tflop/s little; in 1 s each has 5 ms.
TEST(RoundPlan, TakesLessTimeForEachShapeFirst) {
  const RoundPlan plan = plan_round(sizes, {50, 60}, {1e12, 0.02, 1});
  EXPECT_EQ(plan.shapes.size(), 127U);
  EXPECT_EQ(plan.seconds_per_shape, 0.005);
}

/// At 1 Gflop/s one product of 1000 cubed takes 2 s, twice with its warm-up.
TEST(RoundPlan, DropsTheLargest) {
  const RoundPlan plan = plan_round(sizes, {50, 60}, {1e9, 0.02, 1});
  EXPECT_LT(plan.shapes.size(), 127U);
  EXPECT_GT(plan.shapes.size(), 60U);
  EXPECT_LT(largest(plan), 100'000'000);
}

/// At 1.3 ms each, 127 shapes do not fit into 50 ms, nor do the 28 of three sizes and one cube.
TEST(RoundPlan, HasFewerSizesThenAndNeverFewerThanACurveNeeds) {
  const RoundPlan few = plan_round(sizes, {50, 60}, {1e12, 0.02, 0.05});
  EXPECT_LE(few.shapes.size(), 29U);
  for (const KernelSample& s : few.shapes) EXPECT_NE(s.m, 20);  // every second size
  EXPECT_EQ(plan_round(sizes, {50, 60}, {1e9, 0.02, 0}).shapes.size(), kLeastShapes);
}

TEST(RoundPlan, BeginsWithShapesOfAllKinds) {
  const RoundPlan plan = plan_round(sizes, {}, {1e9, 0.02});
  const std::vector<KernelSample> first(plan.shapes.begin(), plan.shapes.begin() + 10);
  const auto work = [](const KernelSample& s) { return s.m * s.n * s.k; };
  EXPECT_TRUE(std::any_of(first.begin(), first.end(), [&](const auto& s) { return work(s) < 100'000; }));
  EXPECT_TRUE(std::any_of(first.begin(), first.end(), [&](const auto& s) { return work(s) > 10'000'000; }));
}

}  // namespace
}  // namespace foretile::round_plan_test
