// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/program_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>

#include "base/error.hpp"
#include "base/missing_memory.hpp"
#include "planner/plan/owners.hpp"
#include "planner/program/program_check.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::program_plan_test {
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

/// Cores that multiply beside GPUs are one device more in each step.
TEST(ProgramPlan, FlowsWithCoresBesideGpus) {
  const FusedProgram program = two_terms();
  Machine machine = flow_machine(1, 2);
  machine.platform.device.kind = DeviceKind::gpu;
  machine.platform.cores_per_socket = 5;
  machine.platform.core.kernel.rate_flops_per_s = 1e9;
  const ProgramPlan flow = plan_program(program, {}, machine, {{"strategy", "owner-b"}}, ProgramMode::flow);
  EXPECT_EQ(flow.work.plan.ranks[0].devices.size(), 3U);
  EXPECT_EQ(flow.work.summary.gemms, 16);
}

template <class Visit>
void for_each_task(const ProgramPlan& flow, const Visit& visit) {
  for (const RankPlan& rank : flow.work.plan.ranks) {
    for (const FlowTask& task : rank.flow.tasks) visit(task);
  }
}

/// Each of I and R has 4 blocks. One copied block and one chain are added to each of I's, one chain to each
/// of R's; products read x and y, then I and y: 4 tiles each, which are the blocks. All are of 2 x 2 numbers,
/// 32 bytes. Each term is a step: i, which has work; c, which i needs not; r.
TEST(ProgramPlan, CountsTheTasksOfTwoTerms) {
  const FusedProgram program = two_terms();
  for (const int ranks : {1, 2, 3}) {
    const ProgramPlan flow =
        plan_program(program, {.ranks = ranks}, flow_machine(ranks, 1), {}, ProgramMode::flow);
    int added = 0, in_place = 0, copied = 0, become_blocks = 0;
    for_each_task(flow, [&](const FlowTask& task) {
      EXPECT_TRUE(task.copies());
      (task.adds() ? added : task.makes_operand() ? in_place : copied)++;
      const bool is_there = is_in_place(flow.work.plan, task);
      EXPECT_TRUE(is_there || !task.makes_operand());
      if (task.adds() && is_there) ++become_blocks;
      EXPECT_EQ(work_of(flow.work.plan, flow.work.contraction, task).bytes, is_there ? 0 : 32);
    });
    EXPECT_EQ(flow.work.summary.gemms, 16);
    EXPECT_EQ(flow.work.plan.steps.size(), 3U);
    EXPECT_EQ(copied, 4);
    EXPECT_EQ(added, 4 + 4 + 4);
    EXPECT_EQ(in_place, 4 * 4);
    if (ranks == 1) {
      EXPECT_EQ(become_blocks, 4 + 4);  // of i and r, the first in I and R
    }
  }
}

/// x, which ranks 0 and 1 have round-robin, times y is R: two tiles of each of alpha. Four tiles of 2 x 2 of
/// each tensor are stored. What is sent is counted again by looking at each tile.
TEST(ProgramPlan, CountsWhatRanksSend) {
  const FusedProgram program(parse_program("space p = virtual\ntensor x[p|p]\ntensor y[p|p]\nresult R[p|p]\n"
                                           "r: R[p1,p2] += x[p1,p3] y[p3,p2]\n",
                                           "test"),
                             {1, 4, 2}, "test");
  const ProgramDistribution distribution{.ranks = 2};
  const Machine machine = flow_machine(2, 1);
  const auto steps = plan_steps(program, distribution, machine, {}, ProgramMode::levels);
  ASSERT_EQ(steps.size(), 1U);
  const PlannedWork& alone = *steps[0].work;
  std::set<std::pair<ProgramBlock, int>> wanted;
  for (const Matrix matrix : {Matrix::a, Matrix::b}) {
    for (TileId tile = 0; tile < 4; ++tile) {
      const Rank owner = owner_of(alone.contraction, alone.plan, {matrix, tile});
      const ProgramBlock block = operand_of(program, steps[0].step, {matrix, tile}).block;
      if (round_robin_owner(block, 2) != owner) wanted.insert({block, owner});
    }
  }
  std::int64_t results = 0;
  const auto owners = owners_of_c(alone.contraction, alone.plan);
  for (TileId tile = 0; tile < 4; ++tile) {
    const Addition addition = program.additions(0, tile).front();
    if (round_robin_owner({program.terms()[0].result, addition.to}, 2) !=
        owners[static_cast<std::size_t>(tile)])
      results += 32;
  }
  const ProgramPlan plan = plan_program(program, distribution, machine, {}, ProgramMode::levels);
  EXPECT_EQ(plan.work.summary.gemms, 8);  // R of alpha alone: four tiles of two products
  EXPECT_EQ(plan.sent_bytes(), std::ssize(wanted) * 32 + results + alone.summary.network_bytes);
  EXPECT_EQ(plan.flops(), 8 * 2 * 8);
  EXPECT_EQ(plan.steps[0].strategy, alone.plan.strategy);
}

/// Rows of C are p1 and h1, columns p2 and h2: to become a block of R, whose indices are p1, p2, h1 and h2,
/// its 2^4 numbers get another order, on cores or by the GPU that stores them; a tile of S becomes a block.
TEST(ProgramPlan, AddsInAnotherOrder) {
  const FusedProgram program(parse_program("orbitals = spatial\nspace h = occupied\nspace p = virtual\n"
                                           "tensor x[p|h]\ntensor y[p|p]\nresult R[p,p|h,h]\nresult S[p|h]\n"
                                           "r: R[p1,p2,h1,h2] += 1 x[p1,h1] x[p2,h2]\n"
                                           "s: S[p1,h1] += 1 y[p1,p2] x[p2,h1]\n",
                                           "test"),
                             {2, 2, 2}, "test");
  for (const DeviceKind kind : {DeviceKind::core, DeviceKind::gpu}) {
    Machine machine = flow_machine(1, 1);
    machine.platform.device.kind = kind;
    const ProgramPlan plan = plan_program(program, {.ranks = 1}, machine, {}, ProgramMode::levels);
    std::int64_t added = 0, permuted = 0;
    for_each_task(plan, [&](const FlowTask& task) {
      const TaskWork work = work_of(plan.work.plan, plan.work.contraction, task);
      if (task.adds()) (work.permutes ? permuted : added) += work.bytes;
    });
    EXPECT_EQ(added, 0);
    EXPECT_EQ(permuted, kind == DeviceKind::core ? 128 : 0);
  }
}

/// Each level is a step that begins when the one before is over, so less is in memory than where they flow.
TEST(ProgramPlan, OpensLevelsOneByOne) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const ProgramPlan levels = plan_program(program, {.ranks = 2}, flow_machine(2, 1), {}, ProgramMode::levels);
  const ProgramPlan flow = plan_program(program, {.ranks = 2}, flow_machine(2, 1), {}, ProgramMode::flow);
  ASSERT_EQ(std::ssize(levels.steps), program.levels());
  for (std::size_t step = 0; step < levels.steps.size(); ++step) {
    EXPECT_EQ(int{levels.work.plan.open_from[step]}, static_cast<int>(step));
    EXPECT_EQ(levels.steps[step].number, static_cast<int>(step) + 1);
  }
  EXPECT_LT(levels.work.summary.peak_host_bytes, flow.work.summary.peak_host_bytes);
  EXPECT_EQ(levels.work.summary.gemms, flow.work.summary.gemms);
}

/// What is proven is what the steps were opened by.
TEST(ProgramPlan, ProvesTheFullestStep) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  for (const ProgramMode mode : {ProgramMode::levels, ProgramMode::flow}) {
    const ProgramPlan plan = plan_program(program, {.ranks = 3}, flow_machine(3, 2), {}, mode);
    EXPECT_EQ(std::ranges::max(plan.steps, {}, &PlannedStep::peak_host_bytes).peak_host_bytes,
              plan.work.summary.peak_host_bytes);
  }
}

/// Levels are planned for devices that they fill, one after the other: where one is over nothing of it is
/// left on a device.
TEST(ProgramPlan, FillsDevicesLevelByLevel) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  Machine machine = flow_machine(2, 1);
  machine.platform.device.kind = DeviceKind::gpu;
  std::int64_t most = 0;
  for (const StepPlan& step : plan_steps(program, {.ranks = 2}, machine, {}, ProgramMode::levels))
    most = std::max(most, step.work->summary.peak_device_bytes);
  EXPECT_EQ(
      plan_program(program, {.ranks = 2}, machine, {}, ProgramMode::levels).work.summary.peak_device_bytes,
      most);
}

TEST(ProgramPlan, KnowsWhichTasksPermute) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const ProgramPlan flow = plan_program(program, {.ranks = 2}, flow_machine(2, 1), {}, ProgramMode::flow);
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
void expect_refused(const FusedProgram& program, const ProgramPlan& flow, const std::string& word) {
  try {
    verify(flow.work.plan, flow.work.contraction);
    check_program(program, flow);
    FAIL() << word;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

/// Of rank 0: the first one that writes a tile of this matrix.
FlowTask& first_task(ProgramPlan& flow, Matrix writes) {
  return *std::ranges::find_if(flow.work.plan.ranks[0].flow.tasks,
                               [&](const FlowTask& task) { return task.writes.matrix == writes; });
}
/// Of rank 0: the first behind another.
FlowTask& first_addition(ProgramPlan& flow) {
  return *std::ranges::find_if(flow.work.plan.ranks[0].flow.tasks,
                               [](const FlowTask& task) { return task.adds() && task.after >= 0; });
}

TEST(ProgramPlan, RefusesWhatIsNotTheProgram) {
  const FusedProgram program = two_terms();
  const ProgramPlan flow = plan_program(program, {.ranks = 1}, flow_machine(1, 1), {}, ProgramMode::flow);
  const auto refuses = [&](const std::string& word, const std::function<void(ProgramPlan&)>& change) {
    ProgramPlan changed = flow;
    change(changed);
    expect_refused(program, changed, word);
  };
  check_program(program, flow);
  refuses("each once", [](ProgramPlan& f) { first_addition(f).factor = 2; });
  refuses("each once", [](ProgramPlan& f) { first_addition(f).order.from = {1, 0}; });
  refuses("each once", [](ProgramPlan& f) {
    auto& tasks = f.work.plan.ranks[0].flow.tasks;
    f.work.plan.operands.c.in_place[static_cast<std::size_t>(tasks.back().reads.id)] = false;
    tasks.pop_back();
  });
  refuses("behind its last addition", [](ProgramPlan& f) {
    std::ranges::find_if(f.work.plan.ranks[0].flow.tasks, [](const FlowTask& t) {
      return t.after >= 0;
    })->after = -1;
  });
  // The last addition to R goes to the next block.
  refuses("behind", [](ProgramPlan& f) { f.work.plan.ranks[0].flow.tasks.back().writes.id ^= 1; });
  refuses("no rank keeps", [](ProgramPlan& f) { f.work.plan.tensors.list.back().on_demand = true; });
  refuses("of tensor tile", [](ProgramPlan& f) { f.work.contraction.t_elements.back() += 1; });
  // w, which is given, is there only from the step that reads it on.
  refuses("another tensor", [](ProgramPlan& f) { f.work.plan.tensors.list[1].from = 1; });
}

Machine with_gpus(std::int64_t device_bytes, const char* messages) {
  Machine machine = flow_machine(2, 1);
  machine.platform.device.kind = DeviceKind::gpu;
  machine.platform.device.memory_bytes = device_bytes;
  machine.platform.messages = messages;
  return machine;
}

/// A quarter is for tiles. What comes to devices is not in host memory.
TEST(ProgramPlan, KeepsThreeQuartersOfEachDeviceForMessages) {
  constexpr std::int64_t kDevice = std::int64_t{1} << 20;
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  for (const ProgramMode mode : {ProgramMode::levels, ProgramMode::flow}) {
    const ProgramPlan on_host = plan_program(program, {.ranks = 2}, with_gpus(kDevice, "host"), {}, mode);
    EXPECT_FALSE(on_host.work.plan.messages_on_devices());
    ProgramPlan plan = plan_program(program, {.ranks = 2}, with_gpus(kDevice, "device"), {}, mode);
    Plan& planned = plan.work.plan;
    EXPECT_EQ(planned.device_classes[0].memory_bytes, kDevice / 4);
    EXPECT_GT(planned.device_message_bytes, 0);
    EXPECT_EQ(planned.device_message_bytes, plan.work.summary.peak_device_message_bytes);
    EXPECT_EQ(plan.sent_bytes(), on_host.sent_bytes());
    EXPECT_LT(plan.work.summary.peak_host_bytes, on_host.work.summary.peak_host_bytes);
    --planned.device_message_bytes;
    EXPECT_THROW(verify(planned, plan.work.contraction), InputError);
  }
}

/// With less and less memory of devices a step is cut, or fewer are open at once; messages never have more
/// than their part.
TEST(ProgramPlan, CutsStepsWhoseMessagesDoNotFitDevices) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  for (const ProgramMode mode : {ProgramMode::levels, ProgramMode::flow}) {
    std::size_t least = 0, most = 0;
    std::int64_t bytes = std::int64_t{1} << 16;
    for (; bytes > 256; bytes = bytes * 3 / 4) {
      try {
        const ProgramPlan plan = plan_program(program, {.ranks = 2}, with_gpus(bytes, "device"), {}, mode);
        EXPECT_LE(plan.work.summary.device_bytes(), bytes);
        EXPECT_LE(plan.work.plan.device_message_bytes, bytes / 4 * 3);
        most = std::max(most, plan.steps.size());
        if (least == 0) least = plan.steps.size();
      } catch (const DoesNotFit&) {  // tiles of a product
        break;
      }
    }
    EXPECT_GT(bytes, 256);
    EXPECT_GT(most, least);
  }
}

/// Cores that could multiply beside GPUs do not where messages come to these; where the settings want both,
/// that is an error.
TEST(ProgramPlan, HasNoCoresBesideGpusThatReceive) {
  const FusedProgram program = two_terms();
  const Settings settings{{"strategy", "owner-b"}};
  const Settings both{{"strategy", "owner-b"}, {"sharing", "planned"}};
  Machine machine = with_gpus(std::int64_t{1} << 20, "device");
  machine.platform.cores_per_socket = 8;
  machine.platform.core.kernel.rate_flops_per_s = 1e9;
  const ProgramPlan plan = plan_program(program, {.ranks = 2}, machine, settings, ProgramMode::levels);
  EXPECT_TRUE(plan.work.plan.messages_on_devices());
  EXPECT_EQ(plan.work.plan.device_classes.size(), 1U);
  try {
    plan_program(program, {.ranks = 2}, machine, both, ProgramMode::levels);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cores that compute beside GPUs"), std::string::npos)
        << error.what();
  }
  machine.platform.messages = "host";
  EXPECT_EQ(plan_program(program, {.ranks = 2}, machine, settings, ProgramMode::levels)
                .work.plan.device_classes.size(),
            2U);
}

/// The less memory, the fewer steps are under way at once; what is proven fits. Where not even one step fits
/// the error says how much is missing.
TEST(ProgramPlan, OpensStepsAsMemoryAllows) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const ProgramPlan free = plan_program(program, {.ranks = 2}, flow_machine(2, 1), {}, ProgramMode::flow);
  EXPECT_TRUE(std::ranges::all_of(free.work.plan.open_from, [](Step step) { return step == 0; }));
  const std::int64_t less = free.work.summary.peak_host_bytes / 3 * 2;
  const ProgramPlan tight =
      plan_program(program, {.ranks = 2}, flow_machine(2, 1, less), {}, ProgramMode::flow);
  EXPECT_LE(tight.work.summary.peak_host_bytes, less);
  EXPECT_GT(tight.work.plan.open_from.back(), 0);
  try {
    plan_program(program, {.ranks = 2}, flow_machine(2, 1, free.work.summary.peak_host_bytes / 20), {},
                 ProgramMode::flow);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("use more nodes"), std::string::npos) << error.what();
  }
}

TEST(ProgramPlan, IsOfProducts) {
  EXPECT_TRUE(has_products(two_terms()));
  const FusedProgram copies(
      parse_program("space p = virtual\ntensor w[p|p]\nresult R[p|p]\nc: R[p1,p2] += 1 w[p1,p2]\n", "test"),
      {1, 4, 2}, "test");
  EXPECT_FALSE(has_products(copies));
  EXPECT_THROW(plan_program(copies, {.ranks = 1}, flow_machine(1, 1), {}, ProgramMode::flow), InputError);
  for (const DeviceKind kind : {DeviceKind::core, DeviceKind::gpu}) {
    Machine machine = flow_machine(2, 2);
    machine.platform.device.kind = kind;
    const ProgramPlan plan = plan_program(copies, {.ranks = 2}, machine, {}, ProgramMode::levels);
    EXPECT_EQ(plan.work.summary.gemms, 0);
    int added = 0;
    for_each_task(plan, [&](const FlowTask& task) { added += task.adds() ? 1 : 0; });
    EXPECT_EQ(added, 4);
  }
}

/// The least that check_program() must notice beside additions.
TEST(ProgramPlan, RefusesOtherOperands) {
  const FusedProgram program = two_terms();
  const ProgramPlan flow = plan_program(program, {.ranks = 1}, flow_machine(1, 1), {}, ProgramMode::flow);
  ProgramPlan changed = flow;
  first_task(changed, Matrix::a).factor = -1;
  expect_refused(program, changed, "in place, but another");
  changed.work.plan.operands.a.in_place = {};
  expect_refused(program, changed, "another tile made of it");
  changed = flow;
  first_task(changed, Matrix::c).reads.id ^= 1;
  expect_refused(program, changed, "another tile made of it");
}

/// Sums in two pieces: twice as many additions of products, and the proof counts each product once.
TEST(ProgramPlan, HasThePiecesOfSums) {
  const FusedProgram program = two_terms();
  const ProgramPlan flow =
      plan_program(program, {.ranks = 2, .split_k = {1, 2, 2}}, flow_machine(2, 1), {}, ProgramMode::flow);
  EXPECT_EQ(flow.work.summary.gemms, 16);
  int added = 0;
  for_each_task(flow, [&](const FlowTask& task) { added += task.adds() ? 1 : 0; });
  EXPECT_EQ(added, 4 + 2 * 4 + 2 * 4);
  ProgramPlan changed = flow;  // a piece stands for that of another tile of C
  std::swap(changed.tiles_of_terms.back().c_tiles[0], changed.tiles_of_terms.back().c_tiles[1]);
  expect_refused(program, changed, "each product of tiles once");
  for (const TileId wrong : {TileId{-1}, TileId{1000}}) {
    changed = flow;
    changed.tiles_of_terms.back().c_tiles[0] = wrong;
    expect_refused(program, changed, "each product of tiles once");
    changed = flow;
    changed.tiles_of_terms.back().c = wrong;
    EXPECT_THROW(check_program(program, changed), InputError);
  }
  changed = flow;  // or has another tile of A
  std::swap(changed.tiles_of_terms.back().a_tiles[0], changed.tiles_of_terms.back().a_tiles[1]);
  expect_refused(program, changed, "another tile made of it");
}

/// An intermediate that is not read is there in its step; given tensors stay.
TEST(ProgramPlan, KnowsWhenTensorsAreThere) {
  const FusedProgram program(parse_program("space p = virtual\ntensor x[p|p]\nresult R[p|p]\n"
                                           "i: I[p1,p2] += 1 x[p1,p3] x[p3,p2]\n"
                                           "r: R[p1,p2] += 1 x[p1,p3] x[p3,p2]\n",
                                           "test"),
                             {1, 4, 2}, "test");
  const ProgramPlan flow = plan_program(program, {.ranks = 1}, flow_machine(1, 1), {}, ProgramMode::flow);
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
TEST(ProgramPlan, SlicesTermsThatDoNotFit) {
  const FusedProgram program(ccsd_t2(), {2, 6, 2}, "test");
  const ProgramPlan free = plan_program(program, {.ranks = 2}, flow_machine(2, 1), {}, ProgramMode::flow);
  std::int64_t blocks = 0;
  for (const StepPlan& plan : plan_steps(program, {.ranks = 2}, flow_machine(2, 1), {}, ProgramMode::flow))
    blocks = std::max(blocks, plan.bytes.tensors);
  const auto fit = [&](std::int64_t bytes) {
    try {
      plan_program(program, {.ranks = 2}, flow_machine(2, 1, bytes), {}, ProgramMode::flow);
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
  const auto steps = plan_steps(program, {.ranks = 2}, flow_machine(2, 1, little), {}, ProgramMode::flow);
  EXPECT_TRUE(std::ranges::any_of(steps, [&](const StepPlan& step) {
    const TermPart &part = step.step.terms[0], whole = whole_term(program, part.term);
    return part.rows != whole.rows || part.columns != whole.columns;
  }));
  const ProgramPlan tight =
      plan_program(program, {.ranks = 2}, flow_machine(2, 1, little), {}, ProgramMode::flow);
  EXPECT_EQ(tight.work.summary.gemms, free.work.summary.gemms);
  EXPECT_LE(tight.work.summary.peak_host_bytes, little);
}

/// Blocks go where a strategy multiplies tiles of them: once to a rank in a step.
TEST(ProgramPlan, JoinsStrategiesThatMoveOperands) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  const ProgramDistribution distribution{.ranks = 2};
  const ProgramPlan usual = plan_program(program, distribution, flow_machine(2, 1), {}, ProgramMode::flow);
  for (const std::string& strategy : strategies_for_terms()) {
    SCOPED_TRACE(strategy);
    const ProgramPlan flow =
        plan_program(program, distribution, flow_machine(2, 1), {{"strategy", strategy}}, ProgramMode::flow);
    EXPECT_EQ(flow.work.summary.gemms, usual.work.summary.gemms);
    std::set<std::tuple<int, TileId, int>> moved;
    for (const RankPlan& rank : flow.work.plan.ranks) {
      for (const Transfer& result : rank.flow.results) {
        if (result.matrix != Matrix::t) continue;
        EXPECT_TRUE(moved.emplace(result.others[0], result.tiles[0], result.step).second);
      }
    }
    EXPECT_EQ(moved.empty(), strategy == "owner-computes-c");
  }
}

}  // namespace
}  // namespace foretile::program_plan_test
