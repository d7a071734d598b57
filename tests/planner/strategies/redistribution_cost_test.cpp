// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/redistribution_cost.hpp"

#include <gtest/gtest.h>

#include "tests/planner/dense_product.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::redistribution_cost_test {
namespace {

/// A and C of 4 x 4 tiles are row by row on four ranks, and the plan wants column j on rank j: of each matrix
/// each rank keeps one tile and sends one to each other rank, one of them to the other rank of its node.
/// Tiles have 32 bytes. B stays. At 1 byte/s a node sends 2 x 2 tiles of A, 128 s, then as much of C on its
/// way back, 128 s; inside a node 2 tiles take 64 s, less.
TEST(RedistributionCosts, TakesAsLongAsTheBusiestNode) {
  Contraction p = dense_product(8, 8, 8, 2);
  Machine machine = small_machine(4, 1, 1 << 20, 1 << 20, 2);
  machine.platform.network.node_injection_bytes_per_s = 1;
  machine.platform.links.node_message_bytes_per_s = 1;
  const GivenDistributions given{{1, 4, 1},
                                 {DistributionKind::contiguous, {}},
                                 {DistributionKind::cyclic, {}},
                                 {DistributionKind::contiguous, {}}};
  Plan plan;
  plan.grid = {1, 4, 1};
  RedistributionCost moved = redistribution_cost(p, machine, given, plan);
  EXPECT_EQ(moved.bytes, 2 * 12 * 32);
  EXPECT_EQ(moved.between_nodes_bytes, 2 * 8 * 32);
  EXPECT_DOUBLE_EQ(moved.seconds, 256);
  // C travels there too, in one step with A.
  p.beta = 1;
  moved = redistribution_cost(p, machine, given, plan);
  EXPECT_EQ(moved.bytes, 3 * 12 * 32);
  EXPECT_DOUBLE_EQ(moved.seconds, 256 + 128);
  // On one node only its own messages count, at half the rate.
  machine.ranks_per_node = machine.platform.ranks_per_node = 4;
  machine.platform.nodes = 1;
  machine.platform.links.node_message_bytes_per_s = 0.5;
  moved = redistribution_cost(p, machine, given, plan);
  EXPECT_EQ(moved.between_nodes_bytes, 0);
  EXPECT_DOUBLE_EQ(moved.seconds, 3 * 12 * 32 * 2);
}

TEST(RedistributionCosts, IsNothingWhereAllLiesAsThePlanWants) {
  const Contraction p = dense_product(8, 8, 8, 2);
  Plan plan;
  plan.grid = {1, 4, 1};
  const RedistributionCost moved =
      redistribution_cost(p, small_machine(4, 1, 1 << 20, 1 << 20), {plan.grid, {}, {}, {}}, plan);
  EXPECT_EQ(moved.bytes, 0);
  EXPECT_EQ(moved.seconds, 0);
}

/// Rank 1 computes both tiles of C, whatever the grid says; they are on rank 0 and 1.
TEST(RedistributionCosts, LooksForCWhereItsProductsAre) {
  const Contraction p = dense_product(2, 4, 2, 2);
  Plan plan;
  plan.grid = {1, 2, 1};
  plan.operands.b = kGeneratedAndStays;
  plan.ranks.resize(2);
  plan.ranks[1].devices = {{{{{0, 1}, {{{0}}}}}}};
  const GivenDistributions given{
      {1, 2, 1}, {DistributionKind::cyclic, {}}, {}, {DistributionKind::contiguous, {}}};
  const RedistributionCost moved = redistribution_cost(p, small_machine(2, 1, 1 << 20, 1 << 20), given, plan);
  EXPECT_EQ(moved.bytes, 32);
}

}  // namespace
}  // namespace foretile::redistribution_cost_test
