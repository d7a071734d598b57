// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/pool_size.hpp"

#include <gtest/gtest.h>

#include "executor/tiles/arena.hpp"

namespace foretile::pool_size_test {
namespace {

/// A 1 x 2 tiles of 10 x 10 doubles, B 2 x 2 of 10 x 4, C 1 x 2 of 10 x 4: 800 and 320 bytes, 1024 and 512
/// rounded up.
Contraction problem() {
  return {"p",
          Tiling::uniform(10, 10),
          Tiling::uniform(8, 4),
          Tiling::uniform(20, 10),
          Shape::dense(1, 2),
          Shape::dense(2, 2),
          Shape::dense(1, 2)};
}

DevicePlan all_in_one_block() {
  return {{{{0, 1}, {{{0, 1}, 0}}}}};
}

TEST(PoolSize, IsThatOfAllTilesWhereTheyFit) {
  PlanFrame frame;
  frame.device_classes[0].memory_bytes = 1'000'000;
  EXPECT_EQ(device_pool_bytes(problem(), frame, {{all_in_one_block()}, {}}, 0), 2 * 1024 + 4 * 512 + 2 * 512);
  EXPECT_EQ(device_pool_bytes(problem(), frame, {{{}}, {}}, 0), 0);
}

TEST(PoolSize, CountsBlocksThatTheDeviceMayTake) {
  PlanFrame frame;
  frame.device_classes[0].memory_bytes = 1'000'000;
  const RankPlan rank{{all_in_one_block(), {}}, {}};
  EXPECT_EQ(device_pool_bytes(problem(), frame, rank, 1), 0);
  frame.pool = Pool::open;
  EXPECT_EQ(device_pool_bytes(problem(), frame, rank, 1), 2 * 1024 + 4 * 512 + 2 * 512);
}

/// 2000 bytes hold at most 6 tiles of 320 bytes and more, each with up to 255 bytes to the next boundary.
TEST(PoolSize, IsTheBudgetAndWhatRoundingAddsWhereTheyDoNot) {
  PlanFrame frame;
  frame.device_classes[0].memory_bytes = 2000;
  EXPECT_EQ(device_pool_bytes(problem(), frame, {{all_in_one_block()}, {}}, 0), 2000 + 6 * 255 + 256);
}

}  // namespace
}  // namespace foretile::pool_size_test
