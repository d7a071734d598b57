// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/warm_up.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "executor/gpu/stand_in.hpp"

namespace foretile::warm_up_test {
namespace {

/// A 2 x 2 tiles, B 2 x 1, C 2 x 1; M = 4 + 2, N = 5, K = 3 + 3: products of 4 x 5 x 3 and 2 x 5 x 3, two of
/// each.
Contraction problem() {
  return {"p",
          Tiling({0, 4, 6}),
          Tiling({0, 5}),
          Tiling({0, 3, 6}),
          Shape::dense(2, 2),
          Shape::dense(2, 1),
          Shape::dense(2, 1)};
}

TEST(WarmUp, ShapesAreThoseOfTheProductsTheLargestFirst) {
  RankPlan rank{{DevicePlan{{{{0}, {{{0, 2, 3}, 0}}}}}, DevicePlan{}}, {}};  // A(0,0), A(1,0), A(1,1)
  PlanFrame frame;
  const auto shapes = plan_shapes(problem(), frame, rank, 0, {9, 9}).usual;
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].m, 4);
  EXPECT_EQ(shapes[1].m, 2);
  EXPECT_EQ(shapes[1].n, 5);
  EXPECT_EQ(shapes[1].k, 3);
  EXPECT_EQ(plan_shapes(problem(), frame, rank, 0, {1, 0}).usual.size(), 1U);
  EXPECT_TRUE(plan_shapes(problem(), frame, rank, 1, {9, 9}).usual.empty());
  frame.pool = Pool::open;  // the second device may get them
  EXPECT_EQ(plan_shapes(problem(), frame, rank, 1, {9, 9}).usual.size(), 2U);
}

/// M = 64 + 64 + 60 + 61 + 33 + 63: beside 64, 60 is a kind of its own (six digits), as are 61 (odd), which
/// 33 and 63 are like.
TEST(WarmUp, EachKindOfRareShapesIsThereOnce) {
  const Contraction p{"p",
                      Tiling({0, 64, 128, 188, 249, 282, 345}),
                      Tiling({0, 5}),
                      Tiling({0, 3}),
                      Shape::dense(6, 1),
                      Shape::dense(1, 1),
                      Shape::dense(6, 1)};
  const RankPlan rank{{DevicePlan{{{{0}, {{{0, 1, 2, 3, 4, 5}, 0}}}}}}, {}};
  const PlanShapes shapes = plan_shapes(p, {}, rank, 0, {1, 9});
  ASSERT_EQ(shapes.usual.size(), 1U);
  EXPECT_EQ(shapes.usual[0].m, 64);
  std::vector<std::int64_t> rare;
  for (const ProductSize& shape : shapes.rare) rare.push_back(shape.m);
  std::sort(rare.begin(), rare.end());
  EXPECT_EQ(rare, (std::vector<std::int64_t>{33, 60}));
  EXPECT_EQ(plan_shapes(p, {}, rank, 0, {1, 1}).rare.size(), 1U);
}

/// Memory for one product and a half: batches shrink, what is too large is left out, nothing is touched
/// beyond the pool (the address sanitizer watches).
TEST(WarmUp, KeepsToThePool) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    StandInGpus gpus;
    GpuDevice device(gpus.open(0, 2), 2, 3 * 1024 + 512);
    std::vector<std::byte> host(10'000);
    warm_up(device, gpus, host,
            {{{precision}}, {{8, 8, 8}, {8, 16, 8}, {100, 100, 100}}, 10, 0, {{4, 8, 8}, {200, 8, 8}}});
    EXPECT_TRUE(device.idle());
  }
  StandInGpus gpus;
  GpuDevice nothing_to_do(gpus.open(0, 1), 1, 0);
  std::vector<std::byte> host(100);
  warm_up(nothing_to_do, gpus, host, {{{Precision::f64}}, {}, 1, 0});
}

}  // namespace
}  // namespace foretile::warm_up_test
