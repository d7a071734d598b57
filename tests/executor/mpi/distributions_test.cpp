// SPDX-License-Identifier: BSD-3-Clause
// Products where B is on the ranks of this job, however the matrices are distributed: right or refused, on
// cores, on GPUs and on both together, and the same bits each time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "executor/mpi/gather.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/executor/mpi/run_plan.hpp"
#include "tests/planner/all_distributions.hpp"

namespace foretile::mpi_distributions_test {
namespace {

/// FORETILE_TEST_DISTRIBUTED_PROBLEMS=200 is for a run by hand.
std::uint64_t problems_to_run() {
  const char* const wanted = std::getenv("FORETILE_TEST_DISTRIBUTED_PROBLEMS");
  return wanted ? std::strtoull(wanted, nullptr, 10) : static_cast<std::uint64_t>(cases(30));
}

std::vector<double> flops_of_devices(const RankStatistics& statistics) {
  std::vector<double> flops;
  for (const DeviceStatistics& device : statistics.devices) flops.push_back(device.flops);
  return flops;
}

TEST(Distributions, AreRightAndRepeat) {
  int right = 0, refused = 0, shared = 0, replayed = 0;
  const std::uint64_t problems = problems_to_run();
  for (std::uint64_t seed = 0; seed < problems; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}, {} ranks", seed, world_size()));
    const GridProblem problem = distributed_problem(seed, world_size());
    const Contraction& p = problem.contraction;
    Machine machine = machine_here(problem.device_bytes, problem.devices * world_size());
    Random random(seed);
    const bool gpus = seed % 2 == 1;
    if (gpus) machine = with_gpus(std::move(machine), random);
    add_cores(machine, seed);
    Plan plan;
    try {
      plan = make_plan(p, machine, problem.settings);
      verify(plan, p);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(" are missing"), std::string::npos) << error.what();
      ++refused;
      continue;
    }
    std::string digest;
    std::vector<double> took;  // of this rank's devices, where they take blocks from each other
    for (int again = 0; again < 2; ++again) {
      const auto on = gpus ? test_gpus(p) : nullptr;
      const RunOutcome outcome = gpus ? execute_on(*on, plan, p, machine, 1 << 20, nullptr, again == 1)
                                      : execute(plan, p, machine, again == 1);
      EXPECT_LE(outcome.check.relative_error, 1e-12);
      EXPECT_TRUE(digest.empty() || digest == outcome.check.c_digest) << "other bits";
      digest = outcome.check.c_digest;
      if (plan.pool == Pool::taken) {
        EXPECT_EQ(flops_of_devices(outcome.run.statistics), took);
      }
      if (plan.pool == Pool::none || again == 1) continue;
      took = flops_of_devices(outcome.run.statistics);
      // Now as this run has taken the blocks.
      plan = assigned_plan(
          plan,
          {plan_digest(plan), gather_assignments(outcome.run.assignment, plan.grid.size(), MPI_COMM_WORLD)},
          "first run");
      verify(plan, p);
      ++replayed;
    }
    // Cores that stand for the GPUs, too: the stand-in's products have the same bits.
    if (gpus && !on_cuda()) {
      EXPECT_EQ(execute(plan, p, machine, false).check.c_digest, digest);
    }
    if (plan.parameters.at("sharing") != "off") ++shared;
    ++right;
  }
  EXPECT_GE(right, static_cast<int>(problems) / 2);
  EXPECT_GE(shared, static_cast<int>(problems) / 10);
  EXPECT_GE(replayed, static_cast<int>(problems) / 10);
  if (world_rank() == 0)
    fmt::print("{} ranks: {} runs, {} of them on GPUs and cores, {} replayed, {} plans refused\n",
               world_size(), right, shared, replayed, refused);
}

}  // namespace
}  // namespace foretile::mpi_distributions_test
