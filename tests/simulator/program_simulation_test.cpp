// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/program_simulation.hpp"

#include <gtest/gtest.h>

#include "planner/program/program_text.hpp"
#include "platforms/cost/addition.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::program_simulation_test {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

/// Moves are told: rank 0 sends 6000 bytes and receives 2000, rank 1 the other way round, at 1000 bytes per
/// second of a rank and of a node; then 8 s for tiles of C. Permutations go at the platform's rate.
TEST(ProgramSimulation, AddsUpTheMovesByHand) {
  Machine machine = small_machine(2, 1, kPlenty, kPlenty);
  machine.platform.nodes = 2;
  machine.ranks_per_node = 1;
  machine.platform.network.message.bandwidth_bytes_per_s = 1000;
  machine.platform.network.node_injection_bytes_per_s = 1000;
  machine.platform.addition_bytes_per_s_per_core = 500;
  LevelPlan plan;
  plan.number = 1;
  plan.moves.resize(2);
  plan.moves[0].sent_bytes = plan.moves[1].received_bytes = 6000;
  plan.moves[1].sent_bytes = plan.moves[0].received_bytes = 2000;
  plan.moves[1].c_sent_bytes = plan.moves[0].c_received_bytes = 8000;
  plan.moves[0].permuted_bytes = 1000 * machine.cores_per_rank();
  const auto times = simulate_program({&plan, 1}, machine);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_DOUBLE_EQ(times[0].blocks_s, 6);
  EXPECT_DOUBLE_EQ(times[0].results_s, 8);
  EXPECT_DOUBLE_EQ(times[0].permuted_s, addition_seconds(machine.platform, 1000));
  EXPECT_EQ(times[0].products_s, 0);
  EXPECT_DOUBLE_EQ(times[0].total_s(), 14 + times[0].permuted_s);
}

/// All levels of the doubles residual; products take as long as the plan alone.
TEST(ProgramSimulation, RehearsesTheProductsOfLevels) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  Machine machine = small_machine(2, 2, kPlenty, kPlenty);
  machine.platform.addition_bytes_per_s_per_core = 1e6;
  const auto plans = plan_program(program, {.ranks = machine.ranks}, machine, {});
  SimulationOptions options;
  options.engine = EngineChoice::fluid;
  const auto times = simulate_program(plans, machine, options);
  ASSERT_EQ(times.size(), 4U);
  for (std::size_t level = 0; level < 4; ++level) {
    const PlannedWork& work = *plans[level].work;
    EXPECT_EQ(times[level].products_s,
              simulate(work.plan, work.contraction, work.machine, options).makespan_s);
    EXPECT_GT(times[level].total_s(), times[level].products_s);
  }
}

}  // namespace
}  // namespace foretile::program_simulation_test
