// Products where B lies on the ranks of this job, however the matrices are dealt: right or refused, on cores,
// on GPUs and on both together, and the same bits each time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/executor/mpi/run_plan.hpp"
#include "tests/planner/all_deals.hpp"

namespace foretile {
namespace {

/// FORETILE_TEST_DEAL_PROBLEMS=200 is for a run by hand.
std::uint64_t problems_to_run() {
  const char* const wanted = std::getenv("FORETILE_TEST_DEAL_PROBLEMS");
  return wanted ? std::strtoull(wanted, nullptr, 10) : static_cast<std::uint64_t>(cases(30));
}

TEST(Deals, AreRightAndRepeat) {
  int right = 0, refused = 0, shared = 0;
  const std::uint64_t problems = problems_to_run();
  for (std::uint64_t seed = 0; seed < problems; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}, {} ranks", seed, world_size()));
    const GridProblem problem = deal_problem(seed, world_size());
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
      EXPECT_NE(std::string(error.what()).find(" bytes are missing"), std::string::npos) << error.what();
      ++refused;
      continue;
    }
    std::string digest;
    for (int again = 0; again < 2; ++again) {
      const auto on = gpus ? test_gpus(p) : nullptr;
      const RunOutcome outcome = gpus ? execute_on(*on, plan, p, machine, 1 << 20, nullptr, again == 1)
                                      : execute(plan, p, machine, again == 1);
      EXPECT_LE(outcome.check.relative_error, 1e-12);
      EXPECT_TRUE(digest.empty() || digest == outcome.check.c_digest) << "other bits";
      digest = outcome.check.c_digest;
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
  if (world_rank() == 0)
    fmt::print("{} ranks: {} runs, {} of them on GPUs and cores, {} plans refused\n", world_size(), right,
               shared, refused);
}

}  // namespace
}  // namespace foretile
