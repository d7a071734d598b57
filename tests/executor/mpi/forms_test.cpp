// SPDX-License-Identifier: BSD-3-Clause
// C = alpha op(A) op(B) + beta C of real and complex numbers in both precisions, by random plans on the ranks
// of this job, in place, with copies and on GPUs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/executor/mpi/run_plan.hpp"
#include "tests/planner/all_grids.hpp"

namespace foretile::forms_test {
namespace {

/// FORETILE_TEST_FORMS=500 is for a run by hand.
std::uint64_t problems() {
  const char* const wanted = std::getenv("FORETILE_TEST_FORMS");
  return wanted ? std::strtoull(wanted, nullptr, 10) : cases(20);
}

void give_form(Contraction& p, Random& random) {
  const auto op = [&] { return static_cast<Op>(random.integer(0, 2)); };
  p.precision = random.integer(0, 1) == 1 ? Precision::f64 : Precision::f32;
  p.complex_elements = random.integer(0, 1) == 1;
  p.a_op = op();
  p.b_op = op();
  const auto factor = [&]() -> std::complex<double> {
    const std::int64_t kind = random.integer(0, 3);
    if (kind == 0) return 0;
    if (kind == 1) return 1;
    return {3 * random.real() - 1.5, p.complex_elements && kind == 3 ? random.real() : 0.0};
  };
  p.alpha = random.integer(0, 5) == 0 ? 0 : factor() + 1.0;
  p.beta = factor();
}

/// Strategies that take B as the problem has it.
Settings settings_of(const GridProblem& problem, Random& random) {
  if (random.integer(0, 1) == 0) return problem.settings;
  const bool made = problem.contraction.sources.b == Source::generated;
  const char* const strategy = !made                       ? "stationary-c"
                               : random.integer(0, 1) == 0 ? "stationary-b"
                                                           : "local-b";
  return {{"strategy", strategy}};
}

TEST(Forms, AllAreRight) {
  int right = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < problems(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
    Random random(seed + 9000);
    GridProblem problem = grid_problem(seed);
    Contraction& p = problem.contraction;
    give_form(p, random);
    const Machine machine = machine_here(2 * problem.device_bytes, problem.devices * world_size());
    Plan plan;
    try {
      plan = make_plan(p, machine, settings_of(problem, random));
      verify(plan, p);
    } catch (const InputError&) {
      ++refused;
      continue;
    }
    const RunOutcome in_place = execute(plan, p, machine, false);
    // Small problems: each tile is compared with a sum in extended precision.
    EXPECT_EQ(in_place.check.method, "freivalds + reference");
    EXPECT_LE(in_place.check.relative_error, p.precision == Precision::f64 ? 1e-12 : 1e-5);
    EXPECT_TRUE(in_place.check.passed()) << in_place.check.relative_error;
    EXPECT_EQ(execute(plan, p, machine, true).check.c_digest, in_place.check.c_digest);
    const std::unique_ptr<Gpus> gpus = test_gpus(p);
    const RunOutcome on_gpus = execute_on(*gpus, plan, p, with_gpus(machine, random), 100'000);
    EXPECT_TRUE(on_gpus.check.passed()) << on_gpus.check.relative_error;
    if (!on_cuda()) {
      EXPECT_EQ(on_gpus.check.c_digest, in_place.check.c_digest);
    }
    ++right;
  }
  EXPECT_GE(right, static_cast<int>(problems() / 2));
  if (world_rank() == 0) fmt::print("{} ranks: {} runs, {} plans refused\n", world_size(), right, refused);
}

}  // namespace
}  // namespace foretile::forms_test
