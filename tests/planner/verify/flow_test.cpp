// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "planner/program/program_plan.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"
#include "tests/planner/verify/refused.hpp"

namespace foretile::verify_flow_test {
namespace {

/// The doubles residual of two occupied and four virtual orbitals on three ranks.
class FlowProof : public testing::Test {
 protected:
  FlowProof() {
    const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
    ProgramPlan flow = plan_program(program, {.ranks = 3}, flow_machine(3, 2), {}, ProgramMode::flow);
    plan = std::move(flow.work.plan);
    problem = std::make_unique<Contraction>(std::move(flow.work.contraction));
  }

  void expect_refused(const std::function<void(Plan&)>& change, const std::string& words) {
    Plan changed = plan;
    change(changed);
    const std::string said = complaint(changed, *problem);
    EXPECT_NE(said.find(words), std::string::npos) << words << " in: " << said;
  }
  static FlowTask& maker_of(Plan& plan, Matrix matrix) {
    return *std::ranges::find_if(plan.ranks[0].flow.tasks,
                                 [&](const FlowTask& task) { return task.writes.matrix == matrix; });
  }
  /// Takes the last task of rank 0 that makes such a tile away.
  static FlowTask without_maker(Plan& plan, Matrix matrix) {
    auto& tasks = plan.ranks[0].flow.tasks;
    auto at = tasks.end() - 1;
    while (at->writes.matrix != matrix) --at;
    const FlowTask task = *at;
    const auto number = static_cast<std::int32_t>(at - tasks.begin());
    tasks.erase(at);
    for (FlowTask& other : tasks) other.after -= other.after > number ? 1 : 0;
    return task;
  }
  static FlowTask& reader_in(Plan& plan) {
    return *std::ranges::find_if(plan.ranks[0].flow.tasks, [](const FlowTask& task) { return task.adds(); });
  }

  Plan plan;
  std::unique_ptr<Contraction> problem;
};

TEST_F(FlowProof, AcceptsThePlan) {
  EXPECT_EQ(complaint(plan, *problem), "");
}

TEST_F(FlowProof, RefusesTilesThatAreNotMade) {
  expect_refused([](Plan& p) { without_maker(p, Matrix::a); }, "which no task makes");
  expect_refused([](Plan& p) { maker_of(p, Matrix::b).writes.id = 1 << 20; }, "B tile 1048576");
  expect_refused(
      [](Plan& p) {
        FlowTask again = maker_of(p, Matrix::a);
        again.step = p.ranks[0].flow.tasks.back().step;
        p.ranks[0].flow.tasks.push_back(again);
      },
      "twice");
  expect_refused(
      [](Plan& p) { p.ranks[1].flow.tasks.insert(p.ranks[1].flow.tasks.begin(), maker_of(p, Matrix::a)); },
      "of another rank");
}

TEST_F(FlowProof, RefusesWrongOrder) {
  expect_refused([](Plan& p) { p.ranks[0].flow.tasks.front().after = 5; }, "behind an earlier one");
  expect_refused([](Plan& p) { p.ranks[0].flow.tasks.front().step = Step::of(p.steps.size()); }, "step");
  expect_refused([](Plan& p) { p.open_from.back() = Step::of(p.steps.size()); }, "steps out of order");
  expect_refused([](Plan& p) { p.open_from.pop_back(); }, "open_from");
  expect_refused([](Plan& p) { p.steps.front() = 1; }, "steps out of order");
  // A tile of A that is made of a tile of C of its own step.
  expect_refused(
      [](Plan& p) {
        FlowTask made = without_maker(p, Matrix::a);
        auto& tasks = p.ranks[0].flow.tasks;
        const auto last =
            std::find_if(tasks.rbegin(), tasks.rend(), [](const FlowTask& t) { return t.adds(); });
        made.after = static_cast<std::int32_t>(tasks.rend() - last) - 1;
        made.reads = last->writes;
        made.step = last->step;
        tasks.push_back(made);
      },
      "of C of the same step");
  // A message that would keep its step from ending: its tiles are made in another one.
  expect_refused(
      [](Plan& p) {
        for (Transfer& transfer : p.ranks[0].transfers) transfer.step = 0;
      },
      "made in its step");
  expect_refused(
      [](Plan& p) {
        p.ranks[0].flow.tasks.front().reads = {Matrix::a, 0};
      },
      "another kind of task");
}

TEST_F(FlowProof, RefusesResultsThatDoNotCome) {
  expect_refused([](Plan& p) { p.ranks[0].flow.results.pop_back(); }, "tiles of C sent");
  expect_refused([](Plan& p) { p.ranks[0].flow.results.push_back(p.ranks[0].flow.results.front()); },
                 "tiles of C sent");
  expect_refused([](Plan& p) { p.ranks[0].flow.results.front().others = {Rank(0)}; }, "message to rank 0");
  expect_refused([](Plan& p) { p.ranks[0].flow.results.front().others.push_back(Rank(2)); },
                 "each to one rank");
  expect_refused([](Plan& p) { p.ranks[0].flow.results.front().last_step = kEver; }, "its step");
  expect_refused([](Plan& p) { reader_in(p).reads.id = 1 << 20; }, "C tile 1048576");
  expect_refused([](Plan& p) { std::swap(p.ranks[0].flow.results, p.ranks[1].flow.results); },
                 "that the rank owns");
}

TEST_F(FlowProof, RefusesTensorsThatAreNone) {
  expect_refused([](Plan& p) { p.tensors.list.clear(); }, "a tensor of which it is");
  expect_refused([](Plan& p) { p.tensors.owners.pop_back(); }, "an owner of each tile");
  expect_refused([](Plan& p) { p.tensors.owners.front() = 3; }, "rank 3");
  expect_refused([](Plan& p) { p.tensors.list.front().first = 1; }, "increasing tiles from 0");
  expect_refused([](Plan& p) { p.tensors.list.back().end = Step::of(p.steps.size() + 1); },
                 "steps that there are");
  expect_refused(
      [](Plan& p) {
        p = {};
        p.ranks.resize(1);
        p.tensors.owners.push_back(7);
      },
      "tensors without steps");
  expect_refused([](Plan& p) { reader_in(p).order.axes = 9; }, "order of axes");
  expect_refused([](Plan& p) { reader_in(p).factor = std::numeric_limits<double>::infinity(); },
                 "a finite one");
}

TEST_F(FlowProof, RefusesWhatTheSchedulerCannotFollow) {
  expect_refused(
      [](Plan& p) {
        p.steps.clear();
        p.operands.c.in_place.clear();
        for (RankPlan& rank : p.ranks) {
          for (Transfer& transfer : rank.transfers) transfer.last_step = kEver;
        }
      },
      "without steps");
  expect_refused([](Plan& p) { p.barriers = Barriers::local; }, "none of them where tiles flow");
  expect_refused([](Plan& p) { p.ranks[0].devices[0].blocks.front().chunks.front().step = kEver; },
                 "at step 2147483647");
}

/// A tile of C that is permuted, or added behind another, is no tensor's tile; and each must become one.
TEST_F(FlowProof, RefusesTilesOfCInWrongPlaces) {
  const auto tile_of = [](Plan& p, bool (*wanted)(const FlowTask&)) {
    const auto& tasks = p.ranks[0].flow.tasks;
    return static_cast<std::size_t>(std::ranges::find_if(tasks, wanted)->reads.id);
  };
  const char* const words = "as it is unless a GPU stores it";
  expect_refused(
      [&](Plan& p) {
        p.operands.c.in_place[tile_of(p, [](const FlowTask& t) { return t.adds() && t.after >= 0; })] = true;
      },
      words);
  expect_refused(
      [&](Plan& p) {
        p.operands.c.in_place[tile_of(p, [](const FlowTask& t) { return t.adds() && !t.copies(); })] = true;
      },
      words);
  expect_refused([](Plan& p) { p.operands.c.in_place.pop_back(); }, "tiles of C in place");
}

/// Cores multiply, so that a tile in another order needs memory of its own.
TEST_F(FlowProof, RefusesOperandsInPlaceThatCoresPermute) {
  expect_refused(
      [](Plan& p) {
        const auto permutes = [](const FlowTask& t) { return t.makes_operand() && !t.copies(); };
        const auto& tasks = p.ranks[0].flow.tasks;
        const TileRef tile = std::ranges::find_if(tasks, permutes)->writes;
        p.operands.of(tile.matrix).in_place[static_cast<std::size_t>(tile.id)] = true;
      },
      "in place, but another than the tensor's");
}

/// All steps may be under way at once: so the sum of what a rank needs for them must fit.
TEST_F(FlowProof, CountsMemoryOfStepsThatAreUnderWay) {
  const std::int64_t all = verify(plan, *problem).peak_host_bytes;
  Plan apart = plan;
  for (std::size_t step = 0; step < apart.steps.size(); ++step) apart.open_from[step] = Step::of(step);
  const std::int64_t one = verify(apart, *problem).peak_host_bytes;
  EXPECT_LT(one, all);
  apart.host_budget_bytes = one - 1;
  EXPECT_NE(complaint(apart, *problem).find(" are missing"), std::string::npos);
}

}  // namespace
}  // namespace foretile::verify_flow_test
