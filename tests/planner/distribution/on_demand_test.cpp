// SPDX-License-Identifier: BSD-3-Clause
#include "planner/distribution/on_demand.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "planner/program/program_plan.hpp"
#include "planner/program/step_plan.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::on_demand_test {
namespace {

std::string refused(const FusedProgram& program, const std::vector<std::string>& names) {
  try {
    on_demand_of(program, names);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(OnDemand, AreGivenOnesByName) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const auto made = [&](const std::vector<std::string>& names) {
    return names_on_demand(program, {.on_demand = on_demand_of(program, names)});
  };
  EXPECT_EQ(made({"v[pp|pp]", "t2[pp|hh]"}).size(), 2U);
  EXPECT_EQ(made({"v[hh|pp]"}), (std::vector<std::string>{"v[hh|pp]"}));
  for (const char* const wrong : {"v", "i0[pp|hh]", "L[hp|hp]", ""}) {
    const std::string error = refused(program, {wrong});
    EXPECT_NE(error.find("tensors on demand"), std::string::npos) << error;
    EXPECT_NE(error.find("v[pp|pp]"), std::string::npos) << error;
  }
}

void expect_fits(const FusedProgram& program, const ProgramDistribution& distribution,
                 const Machine& machine) {
  for (const StepPlan& plan : plan_steps(program, distribution, machine, {}, ProgramMode::levels))
    EXPECT_LE(plan.bytes.all, machine.host_bytes_per_rank());
}

/// Where nothing is missing nothing is made; with too little memory the largest given tensor is, and it fits.
TEST(OnDemand, AreProposedLargestFirst) {
  const FusedProgram program(ccsd_t2(), {2, 6, 2}, "test");
  const auto plan_on = [&](std::int64_t bytes) {
    const Machine machine = flow_machine(2, 1, bytes);
    ProgramDistribution distribution{.ranks = 2};
    plan_on_demand(program, {kAutoOnDemand}, [&](const std::vector<bool>& on_demand) {
      distribution.on_demand = on_demand;
      expect_fits(program, distribution, machine);
    });
    return names_on_demand(program, distribution);
  };
  EXPECT_TRUE(plan_on(std::int64_t{1} << 40).empty());
  std::int64_t blocks = 0;
  for (const StepPlan& plan : plan_steps(program, {.ranks = 2}, flow_machine(2, 1), {}, ProgramMode::levels))
    blocks = std::max(blocks, plan.bytes.tensors);
  EXPECT_EQ(plan_on(blocks - 1), (std::vector<std::string>{"v[pp|pp]"}));
  EXPECT_THROW(plan_on(1000), DoesNotFit);
}

/// What is wrong beside memory makes nothing.
TEST(OnDemand, AreNotForOtherErrors) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  int plans = 0;
  const auto wrong = [&](const std::vector<bool>&) {
    ++plans;
    plan_steps(program, {.ranks = 2}, flow_machine(2, 1), {{"strategy", "none"}}, ProgramMode::levels);
  };
  EXPECT_THROW(plan_on_demand(program, {kAutoOnDemand}, wrong), InputError);
  EXPECT_EQ(plans, 1);
}

/// A made block that is permuted is in memory of its own, on each core: y is turned, so that its tiles are
/// none of its blocks.
TEST(OnDemand, NeedMemoryWherePermuted) {
  const FusedProgram program(
      parse_program("space p = virtual\ntensor x[p,p|p,p]\ntensor y[p|p]\nresult R[p,p|p,p]\n"
                    "r: R[p1,p2,p3,p4] += x[p1,p5,p3,p4] y[p2,p5]\n",
                    "test"),
      {1, 4, 2}, "test");
  const Machine machine = flow_machine(1, 1);
  const auto tensor_bytes = [&](const std::vector<std::string>& made) {
    const ProgramDistribution distribution{.on_demand = on_demand_of(program, made)};
    return plan_program(program, distribution, machine, {}, ProgramMode::levels)
        .work.summary.peak_tensor_bytes;
  };
  const std::int64_t block = 8 * 16;
  std::int64_t x = 0;
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
    if (text_of(program.tensors()[tensor], program.program()) == "x[pp|pp]")
      x = 8 * program.blocks(tensor).elements();
  }
  EXPECT_EQ(tensor_bytes({"x[pp|pp]"}), tensor_bytes({}) - x + machine.cores_per_rank() * block);
}

/// No rank has blocks of v, each tile is generated, and what is generated is counted.
TEST(OnDemand, TakeNoMemoryOfTheirOwn) {
  const FusedProgram program(parse_program("space p = virtual\ntensor x[p|p]\ntensor y[p|p]\nresult R[p|p]\n"
                                           "r: R[p1,p2] += x[p1,p3] y[p3,p2]\n",
                                           "test"),
                             {1, 4, 2}, "test");
  const ProgramDistribution distribution{.on_demand = on_demand_of(program, {"x[p|p]"})};
  for (const ProgramMode mode : {ProgramMode::levels, ProgramMode::flow}) {
    const ProgramPlan plan = plan_program(program, distribution, flow_machine(1, 1), {}, mode);
    EXPECT_EQ(plan.work.summary.peak_tensor_bytes, 2 * 4 * 32);  // y and R: four blocks of alpha each
    std::int64_t made = 0, copied = 0;
    for (const FlowTask& task : plan.work.plan.ranks[0].flow.tasks) {
      const TaskWork work = work_of(plan.work.plan, plan.work.contraction, task);
      made += work.generated_bytes;
      EXPECT_FALSE(work.permutes);
      if (task.makes_operand()) copied += work.bytes;
    }
    EXPECT_EQ(made, 4 * 32);
    EXPECT_EQ(copied, 0);  // x's tiles are generated as they are, y's are in place
  }
}

}  // namespace
}  // namespace foretile::on_demand_test
