// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/step_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/plan/owners.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::step_plan_test {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

/// Tiles of x are its blocks, and y is generated on demand. What a contraction joined from terms
/// knows besides is in the context, and in the plan the tiles that need no memory.
TEST(StepPlan, KnowsWhereTilesAreBefore) {
  const FusedProgram program(parse_program("space p = virtual\ntensor x[p|p]\ntensor y[p|p]\nresult R[p|p]\n"
                                           "r: R[p1,p2] += x[p1,p3] y[p3,p2]\n",
                                           "test"),
                             {1, 4, 2}, "test");
  const ProgramDistribution distribution{.split_k = {2}, .on_demand = on_demand_of(program, {"y[p|p]"})};
  const Machine machine = flow_machine(1, 1, kPlenty);
  const StepPlan level = plan_step(program, distribution, machine, {}, ProgramMode::levels, 1).front();
  const Plan& plan = level.work->plan;
  EXPECT_EQ(level.step.context.shares, (std::vector<RankShare>(8, {0, 2})));  // four rows, two pieces
  int in_place = 0;
  for (const Matrix matrix : {Matrix::a, Matrix::b}) {
    const OperandContext& context = level.step.context.of(matrix);
    EXPECT_EQ(plan.operands.of(matrix).in_place, context.in_place);
    EXPECT_EQ(plan.operands.of(matrix).distribution.owners, context.owners);
    for (TileId tile = 0; tile < shape_of(level.work->contraction, matrix).nonzeros(); ++tile) {
      const ProgramBlock block = operand_of(program, level.step, {matrix, tile}).block;
      EXPECT_EQ(plan.operands.of(matrix).is_in_place(tile), !distribution.is_on_demand(block.tensor));
      if (plan.operands.of(matrix).is_in_place(tile)) ++in_place;
    }
  }
  EXPECT_EQ(in_place, 4);
  Plan without = plan;
  without.operands.a.in_place = without.operands.b.in_place = {};
  EXPECT_EQ(verify(without, level.work->contraction).peak_host_bytes,
            level.work->summary.peak_host_bytes + 4 * 32);
  const StepPlan on_gpus =
      plan_step(program, distribution, small_machine(1, 1, kPlenty, kPlenty), {}, ProgramMode::levels, 1)
          .front();
  EXPECT_EQ(on_gpus.work->plan.operands.a.in_place, plan.operands.a.in_place);
}

/// One of x and y has its summed indices in another order. Cores make a tile of it; GPUs load the tensor's.
TEST(StepPlan, LeavesOperandsInAnotherOrderToGpus) {
  const FusedProgram program(
      parse_program("orbitals = spatial\nspace a = virtual\ntensor x[a,a,a]\ntensor y[a,a,a]\n"
                    "result R[a,a]\nr: R[a1,a2] += x[a1,a3,a4] y[a4,a3,a2]\n",
                    "test"),
      {.occupied = 1, .virtuals = 4, .tile = 2}, "test");
  const auto plan_on = [&](const Machine& machine) {
    return plan_step(program, {}, machine, {}, ProgramMode::levels, 1).front();
  };
  const auto in_place = [](const StepPlan& step) {
    const auto& operands = step.work->plan.operands;
    return std::ranges::count(operands.a.in_place, true) + std::ranges::count(operands.b.in_place, true);
  };
  const StepPlan on_cores = plan_on(flow_machine(1, 1, kPlenty));
  const StepPlan on_gpus = plan_on(small_machine(1, 1, kPlenty, kPlenty));
  EXPECT_EQ(in_place(on_cores), 8);
  EXPECT_EQ(in_place(on_gpus), 8 + 8);
  EXPECT_EQ(on_cores.work->summary.peak_host_bytes - on_gpus.work->summary.peak_host_bytes, 8 * 64);
}

/// With half the memory that all terms of the first level need together, it is computed in parts: every term
/// once.
TEST(StepPlan, ComputesLevelsInPartsThatFit) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const auto whole =
      plan_steps(program, {.ranks = 2}, small_machine(2, 1, kPlenty, kPlenty), {}, ProgramMode::levels);
  ASSERT_EQ(whole.size(), 4U);
  const std::int64_t less = whole[0].bytes.all / 4 * 3;
  const auto parts =
      plan_steps(program, {.ranks = 2}, small_machine(2, 1, kPlenty, less), {}, ProgramMode::levels);
  EXPECT_GT(parts.size(), 4U);
  std::map<std::size_t, int> times;
  for (const StepPlan& plan : parts) {
    EXPECT_LE(plan.bytes.all, less);
    for (const TermPart& part : plan.step.terms) ++times[part.term];
  }
  EXPECT_EQ(times.size(), 41U);
  EXPECT_TRUE(std::ranges::all_of(times, [](const auto& term) { return term.second == 1; }));
  EXPECT_EQ(parts[0].parts, std::ranges::count(parts, 1, &StepPlan::number));
}

/// An energy over 220^4 = 2.3e9 quadruples: in tiles of 110 it is planned, in one tile no kernel has the
/// sizes.
TEST(StepPlan, SumsOverManyElementsInTilesThatKernelsKnow) {
  const Program energy = parse_program(
      "orbitals = spatial\nspace h = occupied\nspace p = virtual\ntensor v[h,h|p,p]\ntensor "
      "t[p,p|h,h]\nresult "
      "e[]\ne: e[] += v[h1,h2,p1,p2] t[p1,p2,h1,h2]\n",
      "test");
  const FusedProgram program(energy, {220, 220, 110}, "test");
  const auto plans =
      plan_steps(program, {.ranks = 2}, small_machine(2, 1, kPlenty, kPlenty), {}, ProgramMode::levels);
  ASSERT_TRUE(plans[0].work);
  EXPECT_EQ(plans[0].work->contraction.k.extent(), 2'342'560'000);
  try {
    const FusedProgram coarse(energy, {220, 220, 220}, "test");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "test: a tile of fused indices: found 2342560000 elements along M, N or K, expected at most "
                 "2147483647; take smaller tiles");
  }
}

TEST(StepPlan, SaysWhichTermDoesNotFit) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const auto whole =
      plan_steps(program, {.ranks = 2}, small_machine(2, 1, kPlenty, kPlenty), {}, ProgramMode::levels);
  try {
    plan_steps(program, {.ranks = 2}, small_machine(2, 1, kPlenty, whole[0].bytes.all / 8), {},
               ProgramMode::levels);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("level 1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what())
                  .find("use more nodes, or generate slices of given tensors on demand: --on-demand auto"),
              std::string::npos)
        << error.what();
  }
}

/// Four tensors of one block each would all begin with rank 0.
TEST(StepPlan, DistributesBlocksRoundRobin) {
  std::map<int, int> blocks;
  for (std::size_t tensor = 0; tensor < 4; ++tensor) ++blocks[round_robin_owner({tensor, 0}, 4)];
  EXPECT_EQ(blocks, (std::map<int, int>{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
}

}  // namespace
}  // namespace foretile::step_plan_test
