// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/flow.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "planner/program/program_plan.hpp"
#include "planner/tensor/program_text.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"
#include "tests/scheduler/fake_backend.hpp"

namespace foretile::scheduler_flow_test {
namespace {

struct Outcome {
  std::map<std::tuple<int, int, TileId>, std::vector<std::pair<TileId, TileId>>> accumulated;
  std::int64_t most_bytes = 0, most_device_message_bytes = 0;
  int most_task_cores = 1;
};

/// What the scheduler does with a plan, operations ending in random order.
Outcome run(const ProgramPlan& flow, std::uint64_t seed, bool in_plan_order) {
  const PlannedWork& work = flow.work;
  SchedulerOptions options =
      scheduler_options(work.plan, work.plan.ranks[0], work.contraction, work.machine, 0, in_plan_order);
  const bool cores = work.machine.platform.device.kind == DeviceKind::core;
  for (DeviceTraits& device : options.devices) {
    device.in_host_memory = cores;
    device.cores = cores ? 1 : 0;
  }
  FakeCluster cluster(work.plan, work.contraction, options, seed);
  cluster.run();
  EXPECT_EQ(cluster.complaints, std::vector<std::string>{});
  EXPECT_EQ(cluster.released_steps, std::ssize(work.plan.steps) * std::ssize(work.plan.ranks));
  std::int64_t products = 0;
  for (const auto& [where, list] : cluster.accumulated) products += std::ssize(list);
  EXPECT_EQ(products, work.summary.gemms);
  return {cluster.accumulated, cluster.most_host_bytes, cluster.most_device_message_bytes,
          cluster.most_task_cores};
}

Machine with_gpus(Machine machine, const char* messages = "host") {
  machine.platform.device.kind = DeviceKind::gpu;
  machine.platform.messages = messages;
  return machine;
}

/// Nothing is read before it is there, all ends, tiles that were made or received never take more than was
/// proven, and each tile of C gets its products in the same order, with plenty of memory and with so little
/// that few steps are open at once; by strategies that leave A and B where they are and by others, on cores
/// and on GPUs, to which messages may come.
TEST(Flow, CarriesOutThePlanWhateverEndsFirst) {
  const FusedProgram program(ccsd_t2(), {2, 4, 2}, "test");
  for (const int ranks : {1, 2, 3}) {
    const ProgramDistribution distribution{.ranks = ranks};
    const ProgramPlan free =
        plan_program(program, distribution, flow_machine(ranks, 2), {}, ProgramMode::flow);
    const std::int64_t less = free.work.summary.peak_host_bytes / 3 * 2;
    const ProgramPlan tight =
        plan_program(program, distribution, flow_machine(ranks, 2, less), {}, ProgramMode::flow);
    const ProgramPlan moved = plan_program(program, distribution, flow_machine(ranks, 2),
                                           {{"strategy", "owner-b"}}, ProgramMode::flow);
    const ProgramPlan on_gpus =
        plan_program(program, distribution, with_gpus(flow_machine(ranks, 2)), {}, ProgramMode::flow);
    const ProgramPlan received = plan_program(
        program, distribution, with_gpus(flow_machine(ranks, 2), "device"), {}, ProgramMode::flow);
    EXPECT_EQ(received.work.plan.messages_on_devices(), ranks > 1);
    for (const ProgramPlan* flow : {&free, &tight, &moved, &on_gpus, &received}) {
      Outcome first;
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(testing::Message() << ranks << " ranks, seed " << seed);
        const Outcome one = run(*flow, seed, seed % 4 == 3);
        EXPECT_LE(one.most_bytes, flow->work.summary.peak_matrix_bytes);
        EXPECT_LE(one.most_device_message_bytes, flow->work.plan.device_message_bytes);
        if (seed == 0) first = one;
        EXPECT_EQ(one.accumulated, first.accumulated);
      }
    }
  }
}

/// x is copied to R as one block of 32 MiB: four parts of 8 MiB, on a rank with six cores; where cores
/// multiply, one has it alone.
TEST(Flow, SharesLongTasksAmongIdleCores) {
  const FusedProgram program(
      parse_program("orbitals = spatial\nspace a = virtual\ntensor x[a,a]\ntensor y[a,a]\nresult R[a,a]\n"
                    "result S[a,a]\nr: R[a1,a2] += x[a1,a2]\ns: S[a1,a2] += y[a1,a3] y[a3,a2]\n",
                    "test"),
      {.occupied = 1, .virtuals = 2048, .tile = 2048}, "test");
  const auto most_cores = [&](DeviceKind kind) {
    Machine machine = flow_machine(1, 6);
    machine.platform.device.kind = kind;
    machine.platform.device.memory_bytes = std::int64_t{1} << 30;
    const ProgramPlan plan = plan_program(program, {}, machine, {}, ProgramMode::levels);
    return run(plan, 1, false).most_task_cores;
  };
  EXPECT_EQ(most_cores(DeviceKind::gpu), 4);
  EXPECT_EQ(most_cores(DeviceKind::core), 1);
}

/// The plan with the least device memory, found by bisection.
ProgramPlan tightest(const FusedProgram& program, const Settings& settings, int ranks) {
  const auto plan = [&](std::int64_t bytes) {
    Machine machine = with_gpus(flow_machine(ranks, 2));
    machine.platform.device.memory_bytes = bytes;
    return plan_program(program, {.ranks = ranks}, machine, settings, ProgramMode::flow);
  };
  std::int64_t low = 0, high = std::int64_t{1} << 20;
  while (high - low > 8) {
    const std::int64_t middle = low + (high - low) / 2;
    try {
      plan(middle);
      high = middle;
    } catch (const InputError&) {
      low = middle;
    }
  }
  return plan(high);
}

/// Blocks of several strategies, whose sizes differ from step to step, are taken in any order.
TEST(Flow, EndsWithTheLeastDeviceMemory) {
  const FusedProgram program(ccsd_t2(), {2, 6, 2}, "test");
  for (const char* const strategy : {"owner-b", "stationary-c", "grid-3d"}) {
    for (const char* const lookahead : {"1", "2", "3"}) {
      for (const int ranks : {1, 3}) {
        const ProgramPlan flow = tightest(program, {{"strategy", strategy}, {"lookahead", lookahead}}, ranks);
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
          SCOPED_TRACE(testing::Message() << strategy << ", lookahead " << lookahead << ", " << ranks
                                          << " ranks, seed " << seed);
          run(flow, seed, false);
        }
      }
    }
  }
}

}  // namespace
}  // namespace foretile::scheduler_flow_test
