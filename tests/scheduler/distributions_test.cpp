// SPDX-License-Identifier: BSD-3-Clause
// Products where B is, however the matrices are distributed, on 200 random problems and 1 to 5 ranks: right
// or refused, and the same bits in whatever order things end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/base/some_of.hpp"
#include "tests/planner/all_distributions.hpp"
#include "tests/planner/small_machine.hpp"
#include "tests/scheduler/fake_backend.hpp"
#include "tests/scheduler/numbers_of_c.hpp"

namespace foretile::scheduler_distributions_test {
namespace {

constexpr std::int64_t kProblems = 200;

/// Blocks that a device took which the plan lists under another.
int taken_from_others(const RankPlan& plan, const RankAssignment& taken) {
  int first = 0, count = 0;
  for (std::size_t device = 0; device < plan.devices.size(); ++device) {
    const int end = first + static_cast<int>(plan.devices[device].blocks.size());
    for (const int block : taken[device]) count += block < first || block >= end ? 1 : 0;
    first = end;
  }
  return count;
}

TEST(Distributions, AreRightAndRepeat) {
  int right = 0, refused = 0, shared = 0, taken = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(some_of(kProblems)); ++seed) {
    for (const int ranks : {1 + static_cast<int>(seed % 2), 3 + static_cast<int>(seed % 3)}) {
      SCOPED_TRACE(fmt::format("seed {}, {} ranks", seed, ranks));
      const GridProblem problem = distributed_problem(seed, ranks);
      const Contraction& p = problem.contraction;
      Machine machine = small_machine(ranks, problem.devices, problem.device_bytes, 1 << 24);
      add_cores(machine, seed);
      const std::optional<Plan> plan = plan_or_refusal(p, machine, problem.settings);
      if (!plan) {
        ++refused;
        continue;
      }
      SchedulerOptions options;
      for (const DevicePlan& device : plan->ranks[0].devices) {
        const DeviceClass& of = plan->class_of(device);
        const bool cores = of.kind == DeviceKind::core;
        options.devices.push_back({.cores = cores ? of.cores : 0,
                                   .in_host_memory = cores,
                                   .batch = 1 + static_cast<int>(seed % 4)});
        if (cores) {
          options.core_slots = of.cores;
          ++shared;
        }
      }
      std::map<TileId, double> bits;
      for (const std::uint64_t order : {seed, seed + 1000}) {
        FakeCluster cluster(*plan, p, options, order);
        cluster.run();
        expect_numbers(cluster, numbers_of_c(p));
        EXPECT_TRUE(bits.empty() || bits == cluster.c) << "other bits";
        bits = cluster.c;
        for (std::size_t rank = 0; rank < plan->ranks.size(); ++rank)
          taken += taken_from_others(plan->ranks[rank], cluster.ranks[rank]->scheduler->assignment());
      }
      ++right;
      if (HasFailure()) return;
    }
  }
  RecordProperty("right", right);
  RecordProperty("refused", refused);
  EXPECT_GE(right, some_of(300));
  EXPECT_GE(refused, some_of(5));
  EXPECT_GE(shared, some_of(100));
  EXPECT_GE(taken, some_of(20));
}

}  // namespace
}  // namespace foretile::scheduler_distributions_test
