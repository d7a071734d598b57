// SPDX-License-Identifier: BSD-3-Clause
// The check on all ranks together; tests/executor/check/tile_errors_test.cpp has what each rank does.
#include "executor/check/check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "executor/tiles/initial_tile.hpp"
#include "planner/problem/kinds/random.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/executor/mpi/run_plan.hpp"

namespace foretile::check_test {
namespace {

Contraction small_problem() {
  return random_contraction({.m = 60,
                             .n = 90,
                             .k = 80,
                             .tile_min = 10,
                             .tile_max = 20,
                             .a_density = 0.7,
                             .b_density = 0.7,
                             .seed = 3});
}

const CheckOptions kFreivaldsAlone{.freivalds = {}, .reference_flops = 0};

/// Both methods.
std::vector<CheckOptions> all_methods() {
  return {kFreivaldsAlone, {}};
}

/// One number wrong in one tile is found, whichever rank holds it.
TEST(Check, FindsOneWrongNumber) {
  const Contraction contraction = small_problem();
  const Machine machine = machine_here(1'000'000);
  RunOutcome outcome = execute(make_plan(contraction, machine, {}), contraction, machine, false);
  ASSERT_TRUE(outcome.check.passed()) << outcome.check.relative_error;
  EXPECT_EQ(outcome.check.method, "freivalds + reference");
  const int holder = world_size() - 1;
  std::int64_t wrong = 0;
  if (world_rank() == holder) {
    ASSERT_FALSE(outcome.run.host->c.empty());
    auto& [tile, buffer] = *outcome.run.host->c.begin();
    wrong = tile;
    buffer.as<double>()[0] += 1e-6;
  }
  MPI_Bcast(&wrong, 1, MPI_INT64_T, holder, MPI_COMM_WORLD);
  for (const CheckOptions& options : all_methods()) {
    const CheckResult damaged = check_product(contraction, *outcome.run.host, MPI_COMM_WORLD, options);
    EXPECT_EQ(damaged.method, options.reference_flops > 0 ? "freivalds + reference" : "freivalds");
    EXPECT_FALSE(damaged.passed());
    EXPECT_GT(damaged.relative_error, 1e-10);
    ASSERT_TRUE(damaged.worst);
    EXPECT_EQ(damaged.worst->row, contraction.c.row_of(wrong));
    EXPECT_EQ(damaged.worst->column, contraction.c.column_of(wrong));
    EXPECT_EQ(damaged.worst->rank, holder);
    EXPECT_NE(damaged.c_digest, outcome.check.c_digest);
  }
}

/// A NaN or an infinity anywhere fails.
TEST(Check, FailsWithNumbersThatAreNotFinite) {
  const Contraction contraction = small_problem();
  const Machine machine = machine_here(1'000'000);
  RunOutcome outcome = execute(make_plan(contraction, machine, {}), contraction, machine, false);
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    if (world_rank() == world_size() / 2) outcome.run.host->c.begin()->second.as<double>()[3] = value;
    const CheckResult damaged = check_product(contraction, *outcome.run.host, MPI_COMM_WORLD);
    EXPECT_FALSE(damaged.passed());
    EXPECT_TRUE(std::isinf(damaged.relative_error));
    EXPECT_EQ(damaged.worst->rank, world_size() / 2);
  }
}

/// In single precision rounding hides what it must, and no more.
TEST(Check, FindsOneWrongNumberInSinglePrecision) {
  Contraction contraction = small_problem();
  contraction.precision = Precision::f32;
  const Machine machine = machine_here(1'000'000);
  RunOutcome outcome = execute(make_plan(contraction, machine, {}), contraction, machine, false);
  EXPECT_LT(outcome.check.relative_error, 1e-6);
  EXPECT_GT(outcome.check.relative_error, 1e-9);  // it was not computed in double
  if (world_rank() == world_size() - 1) {
    ASSERT_FALSE(outcome.run.host->c.empty());
    outcome.run.host->c.begin()->second.as<float>()[0] += 1e-1F;
  }
  for (const CheckOptions& options : all_methods())
    EXPECT_GT(check_product(contraction, *outcome.run.host, MPI_COMM_WORLD, options).relative_error, 1e-4);
}

/// C = A B with the initial C added afterwards is C += A B, for both tests.
TEST(Check, ExpectsTheInitialCWhereItIsAccumulated) {
  Contraction contraction = small_problem();
  const Machine machine = machine_here(1'000'000);
  const RunOutcome outcome = execute(make_plan(contraction, machine, {}), contraction, machine, false);
  contraction.beta = 1;
  for (const CheckOptions& options : all_methods())
    EXPECT_GT(check_product(contraction, *outcome.run.host, MPI_COMM_WORLD, options).relative_error, 0.1);
  for (auto& [id, buffer] : outcome.run.host->c) {
    const TileBuffer initial = initial_tile(contraction, {Matrix::c, id});
    for (std::size_t e = 0; e < initial.as<double>().size(); ++e)
      buffer.as<double>()[e] += initial.as<double>()[e];
  }
  for (const CheckOptions& options : all_methods())
    EXPECT_TRUE(check_product(contraction, *outcome.run.host, MPI_COMM_WORLD, options).passed());
}

TEST(Check, MissesNoTile) {
  const Contraction contraction = small_problem();
  const Machine machine = machine_here(1'000'000);
  RunOutcome outcome = execute(make_plan(contraction, machine, {}), contraction, machine, false);
  TilesOfC& c = outcome.run.host->c;
  if (world_rank() == 0) c.erase(c.begin());
  EXPECT_THROW(check_product(contraction, *outcome.run.host, MPI_COMM_WORLD), WorkError);
}

/// One tile is held by two ranks and another by none, so that their number is right.
TEST(Check, MissesNoTileWhereAnotherIsHeldTwice) {
  const Contraction contraction = small_problem();
  const Machine machine = machine_here(1'000'000);
  RunOutcome outcome = execute(make_plan(contraction, machine, {}), contraction, machine, false);
  TilesOfC& c = outcome.run.host->c;
  std::int64_t first = world_rank() == 0 ? c.begin()->first : 0;
  MPI_Bcast(&first, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (world_size() == 1) GTEST_SKIP() << "one rank holds no tile twice";
  if (world_rank() == 1) {
    c.erase(c.begin());
    c.emplace(first, TileBuffer(contraction.c_bytes(first)));
  }
  EXPECT_THROW(check_product(contraction, *outcome.run.host, MPI_COMM_WORLD), WorkError);
}

}  // namespace
}  // namespace foretile::check_test
