// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/level_seconds.hpp"

#include <gtest/gtest.h>

#include "planner/bound/bound.hpp"
#include "platforms/cost/addition.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::level_seconds_test {
namespace {

/// Two ranks on two nodes, whose links carry 1000 bytes/s: the busier way takes 6000 / 1000 and 8000 / 1000
/// s. Rank 1 makes 500 bytes at 50 bytes/s for each of its cores.
TEST(LevelSeconds, AreThoseOfTheBusiestRank) {
  Machine machine = small_machine(2, 1, 1'000'000, 10'000'000);
  machine.platform.network.message.bandwidth_bytes_per_s = 1000;
  machine.platform.generation_bytes_per_s_per_core = 50;
  ASSERT_EQ(machine.nodes(), 2);
  LevelPlan plan;
  plan.moves.resize(2);
  plan.moves[0].sent_bytes = plan.moves[1].received_bytes = 6000;
  plan.moves[1].sent_bytes = plan.moves[0].received_bytes = 2000;
  plan.moves[1].c_sent_bytes = plan.moves[0].c_received_bytes = 8000;
  plan.moves[0].permuted_bytes = 1000 * machine.cores_per_rank();
  plan.moves[0].made_bytes = 100;
  plan.moves[1].made_bytes = 500 * machine.cores_per_rank();
  const LevelMoveTimes times = move_times(plan, machine);
  EXPECT_DOUBLE_EQ(times.blocks_s, 6);
  EXPECT_DOUBLE_EQ(times.results_s, 8);
  EXPECT_DOUBLE_EQ(times.made_s, 10);
  EXPECT_DOUBLE_EQ(times.permuted_s, addition_seconds(machine.platform, 1000));
  EXPECT_EQ(times.additions_s, 0);
  EXPECT_DOUBLE_EQ(times.moves_s(), 24 + times.permuted_s);
  EXPECT_DOUBLE_EQ(least_seconds(plan, machine), times.moves_s());
}

/// Of 3000 bytes for each core 2000 get another order, at 500 bytes/s; 1000 do not, at 1000 bytes/s. So do
/// 500 of A and B, but not other 2000.
TEST(LevelSeconds, CountAnotherOrderApart) {
  Machine machine = small_machine(1, 1, 1'000'000, 10'000'000);
  machine.platform.addition_bytes_per_s_per_core = 1000;
  machine.platform.permuted_addition_bytes_per_s_per_core = 500;
  LevelPlan plan;
  plan.moves.resize(1);
  plan.moves[0].added_bytes = 3000 * machine.cores_per_rank();
  plan.moves[0].added_permuted_bytes = 2000 * machine.cores_per_rank();
  plan.moves[0].permuted_bytes = 500 * machine.cores_per_rank();
  plan.moves[0].copied_bytes = 2000 * machine.cores_per_rank();
  const LevelMoveTimes times = move_times(plan, machine);
  EXPECT_DOUBLE_EQ(times.additions_s, 1 + 4);
  EXPECT_DOUBLE_EQ(times.permuted_s, 2 + 1);
}

TEST(LevelSeconds, HaveTheBoundOfTheProducts) {
  constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const Machine machine = small_machine(2, 2, kPlenty, kPlenty);
  const LevelPlan plan = plan_program(program, {.ranks = machine.ranks}, machine, {})[0];
  const double products = plan_bound(plan.work->plan, plan.work->contraction, plan.work->machine).seconds;
  EXPECT_GT(products, 0);
  EXPECT_DOUBLE_EQ(least_seconds(plan, machine), products + move_times(plan, machine).moves_s());
}

}  // namespace
}  // namespace foretile::level_seconds_test
