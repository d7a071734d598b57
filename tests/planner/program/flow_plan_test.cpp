// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/flow_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>

#include "base/error.hpp"
#include "planner/program/flow_check.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::flow_plan_test {
namespace {

/// I = x y + w, R = I y. Two tiles of 2 of alpha and two of beta; of I and R alpha stands for beta.
FusedProgram two_terms() {
  return {parse_program("space p = virtual\ntensor x[p|p]\ntensor y[p|p]\ntensor w[p|p]\nresult R[p|p]\n"
                        "c: I[p1,p2] += 1 w[p1,p2]\n"
                        "i: I[p1,p2] += 1 x[p1,p3] y[p3,p2]\n"
                        "r: R[p1,p2] += 1 I[p1,p3] y[p3,p2]\n",
                        "test"),
          {1, 4, 2},
          "test"};
}

template <class Visit>
void for_each_task(const FlowPlan& flow, const Visit& visit) {
  for (const RankPlan& rank : flow.work.plan.ranks) {
    for (const FlowTask& task : rank.flow.tasks) visit(task);
  }
}

/// Each of I and R has 4 blocks. One copied block and one chain are added to each of I's, one chain to each
/// of R's; products read x and y, then I and y: 4 tiles each, which are the blocks. All are of 2 x 2 numbers,
/// 32 bytes. Each term is a step: i, which has work; c, which i needs not; r.
TEST(FlowPlan, CountsTheTasksOfTwoTerms) {
  const FusedProgram program = two_terms();
  for (const int ranks : {1, 2, 3}) {
    const FlowPlan flow = plan_flow(program, {.ranks = ranks}, flow_machine(ranks, 1), {});
    int added = 0, in_place = 0, copied = 0;
    for_each_task(flow, [&](const FlowTask& task) {
      EXPECT_TRUE(task.copies());
      (task.adds() ? added : task.makes_operand() ? in_place : copied)++;
      EXPECT_EQ(work_of(flow.work.plan, flow.work.contraction, task).bytes, task.makes_operand() ? 0 : 32);
    });
    EXPECT_EQ(flow.work.summary.gemms, 16);
    EXPECT_EQ(flow.work.plan.steps.size(), 3U);
    EXPECT_EQ(copied, 4);
    EXPECT_EQ(added, 4 + 4 + 4);
    EXPECT_EQ(in_place, 4 * 4);
  }
}

TEST(FlowPlan, KnowsWhichTasksPermute) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const FlowPlan flow = plan_flow(program, {.ranks = 2}, flow_machine(2, 1), {});
  int permuting = 0, others = 0;
  for_each_task(flow, [&](const FlowTask& task) {
    const bool permutes = work_of(flow.work.plan, flow.work.contraction, task).permutes;
    EXPECT_EQ(permutes, !task.order.is_identity());
    ++(permutes ? permuting : others);
  });
  EXPECT_GT(permuting, 0);
  EXPECT_GT(others, 0);
}

/// Words that the proof of a changed plan must say.
void expect_refused(const FusedProgram& program, const FlowPlan& flow, const std::string& word) {
  try {
    verify(flow.work.plan, flow.work.contraction);
    check_flow(program, {.ranks = static_cast<int>(flow.work.plan.ranks.size())}, flow);
    FAIL() << word;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

/// Of rank 0: the first one that writes a tile of this matrix.
FlowTask& first_task(FlowPlan& flow, Matrix writes) {
  return *std::ranges::find_if(flow.work.plan.ranks[0].flow.tasks,
                               [&](const FlowTask& task) { return task.writes.matrix == writes; });
}

TEST(FlowPlan, RefusesWhatIsNotTheProgram) {
  const FusedProgram program = two_terms();
  const FlowPlan flow = plan_flow(program, {.ranks = 1}, flow_machine(1, 1), {});
  const auto refuses = [&](const std::string& word, const std::function<void(FlowPlan&)>& change) {
    FlowPlan changed = flow;
    change(changed);
    expect_refused(program, changed, word);
  };
  check_flow(program, {}, flow);
  refuses("each once", [](FlowPlan& f) { first_task(f, Matrix::t).factor = 2; });
  refuses("each once", [](FlowPlan& f) { first_task(f, Matrix::t).order.from = {1, 0}; });
  refuses("each once", [](FlowPlan& f) { f.work.plan.ranks[0].flow.tasks.pop_back(); });
  refuses("behind its last addition", [](FlowPlan& f) {
    std::ranges::find_if(f.work.plan.ranks[0].flow.tasks, [](const FlowTask& t) {
      return t.after >= 0;
    })->after = -1;
  });
  // The last addition to R goes to the next block.
  refuses("behind", [](FlowPlan& f) { f.work.plan.ranks[0].flow.tasks.back().writes.id ^= 1; });
  refuses("no rank keeps", [](FlowPlan& f) { f.work.plan.tensors.list.back().on_demand = true; });
  refuses("of tensor tile", [](FlowPlan& f) { f.work.contraction.t_elements.back() += 1; });
  // w, which is given, is there only from the step that reads it on.
  refuses("another tensor", [](FlowPlan& f) { f.work.plan.tensors.list[1].from = 1; });
}

/// The less memory, the fewer steps are under way at once; what is proven fits. Where not even one step fits
/// the error says how much is missing.
TEST(FlowPlan, OpensStepsAsMemoryAllows) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const FlowPlan free = plan_flow(program, {.ranks = 2}, flow_machine(2, 1), {});
  EXPECT_TRUE(std::ranges::all_of(free.work.plan.open_from, [](Step step) { return step == 0; }));
  const std::int64_t less = free.work.summary.peak_host_bytes / 3 * 2;
  const FlowPlan tight = plan_flow(program, {.ranks = 2}, flow_machine(2, 1, less), {});
  EXPECT_LE(tight.work.summary.peak_host_bytes, less);
  EXPECT_GT(tight.work.plan.open_from.back(), 0);
  try {
    plan_flow(program, {.ranks = 2}, flow_machine(2, 1, free.work.summary.peak_host_bytes / 20), {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("use more nodes"), std::string::npos) << error.what();
  }
}

TEST(FlowPlan, IsOfProducts) {
  EXPECT_TRUE(may_flow(two_terms()));
  const FusedProgram copies(
      parse_program("space p = virtual\ntensor w[p|p]\nresult R[p|p]\nc: R[p1,p2] += 1 w[p1,p2]\n", "test"),
      {1, 4, 2}, "test");
  EXPECT_FALSE(may_flow(copies));
  EXPECT_THROW(plan_flow(copies, {.ranks = 1}, flow_machine(1, 1), {}), InputError);
}

/// The least that check_flow() must notice beside additions.
TEST(FlowPlan, RefusesOtherOperands) {
  const FusedProgram program = two_terms();
  const FlowPlan flow = plan_flow(program, {.ranks = 1}, flow_machine(1, 1), {});
  FlowPlan changed = flow;
  first_task(changed, Matrix::a).factor = -1;
  expect_refused(program, changed, "in place, but another");
  changed.work.plan.operands.a.in_place = {};
  expect_refused(program, changed, "another tile made of it");
  changed = flow;
  first_task(changed, Matrix::c).reads.id ^= 1;
  expect_refused(program, changed, "another tile made of it");
}

/// Sums in two pieces: twice as many additions of products, and the proof counts each product once.
TEST(FlowPlan, HasThePiecesOfSums) {
  const FusedProgram program = two_terms();
  const FlowPlan flow = plan_flow(program, {.ranks = 2, .sum_pieces = {1, 2, 2}}, flow_machine(2, 1), {});
  EXPECT_EQ(flow.work.summary.gemms, 16);
  int added = 0;
  for_each_task(flow, [&](const FlowTask& task) { added += task.adds() ? 1 : 0; });
  EXPECT_EQ(added, 4 + 2 * 4 + 2 * 4);
  FlowPlan changed = flow;  // a piece stands for that of another tile of C
  std::swap(changed.tiles_of_terms.back().c_tiles[0], changed.tiles_of_terms.back().c_tiles[1]);
  expect_refused(program, changed, "each product of tiles once");
  for (const TileId wrong : {TileId{-1}, TileId{1000}}) {
    changed = flow;
    changed.tiles_of_terms.back().c_tiles[0] = wrong;
    expect_refused(program, changed, "each product of tiles once");
    changed = flow;
    changed.tiles_of_terms.back().c = wrong;
    EXPECT_THROW(check_flow(program, {.ranks = 2}, changed), InputError);
  }
  changed = flow;  // or has another tile of A
  std::swap(changed.tiles_of_terms.back().a_tiles[0], changed.tiles_of_terms.back().a_tiles[1]);
  expect_refused(program, changed, "another tile made of it");
}

/// An intermediate that nobody reads is there in its step; given tensors stay.
TEST(FlowPlan, KnowsWhenTensorsAreThere) {
  const FusedProgram program(parse_program("space p = virtual\ntensor x[p|p]\nresult R[p|p]\n"
                                           "i: I[p1,p2] += 1 x[p1,p3] x[p3,p2]\n"
                                           "r: R[p1,p2] += 1 x[p1,p3] x[p3,p2]\n",
                                           "test"),
                             {1, 4, 2}, "test");
  const FlowPlan flow = plan_flow(program, {.ranks = 1}, flow_machine(1, 1), {});
  const std::size_t steps = flow.work.plan.steps.size();
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
    const PlanTensor& life = flow.work.plan.tensors.list[tensor];
    if (program.tensors()[tensor].role == TensorRole::intermediate) {
      EXPECT_EQ(int{life.end}, life.from + 1);
    } else {
      EXPECT_EQ(int{life.end}, static_cast<int>(steps));
    }
  }
}

/// With little memory terms are computed in slices, steps of their own; the proof counts each addition once.
TEST(FlowPlan, SlicesTermsThatDoNotFit) {
  const FusedProgram program(ccsd_t2(), {2, 6, 2}, "test");
  const FlowPlan free = plan_flow(program, {.ranks = 2}, flow_machine(2, 1), {});
  std::int64_t blocks = 0;
  for (const LevelPlan& plan : plan_steps(program, {.ranks = 2}, flow_machine(2, 1), {}, kStepsAtOnce))
    blocks = std::max(blocks, plan.blocks_bytes());
  const auto fit = [&](std::int64_t bytes) {
    try {
      plan_flow(program, {.ranks = 2}, flow_machine(2, 1, bytes), {});
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  std::int64_t little = blocks;
  while (!fit(little)) {
    little += blocks / 50;
    ASSERT_LE(little, 3 * blocks);
  }
  const auto steps = plan_steps(program, {.ranks = 2}, flow_machine(2, 1, little), {}, kStepsAtOnce);
  EXPECT_TRUE(std::ranges::any_of(steps, [&](const LevelPlan& step) {
    const TermPart &part = step.level.terms[0], whole = whole_term(program, part.term);
    return part.rows != whole.rows || part.columns != whole.columns;
  }));
  const FlowPlan tight = plan_flow(program, {.ranks = 2}, flow_machine(2, 1, little), {});
  EXPECT_EQ(tight.work.summary.gemms, free.work.summary.gemms);
  EXPECT_LE(tight.work.summary.peak_host_bytes, little);
}

/// Blocks go where a strategy multiplies tiles of them: once to a rank in a step.
TEST(FlowPlan, JoinsStrategiesThatMoveOperands) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const ProgramDistribution distribution{.ranks = 2};
  const FlowPlan usual = plan_flow(program, distribution, flow_machine(2, 1), {});
  for (const std::string& strategy : strategies_for_terms()) {
    SCOPED_TRACE(strategy);
    const FlowPlan flow = plan_flow(program, distribution, flow_machine(2, 1), {{"strategy", strategy}});
    EXPECT_EQ(flow.work.summary.gemms, usual.work.summary.gemms);
    std::set<std::tuple<int, TileId, int>> moved;
    for (const RankPlan& rank : flow.work.plan.ranks) {
      for (const Transfer& result : rank.flow.results) {
        if (result.matrix != Matrix::t) continue;
        EXPECT_TRUE(moved.emplace(result.others[0], result.tiles[0], result.step).second);
      }
    }
    EXPECT_EQ(moved.empty(), strategy == "dealt-c");
  }
}

}  // namespace
}  // namespace foretile::flow_plan_test
