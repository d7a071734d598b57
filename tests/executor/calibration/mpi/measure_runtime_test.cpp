// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/mpi/measure_runtime.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "executor/mpi/communicator.hpp"
#include "platforms/here.hpp"

namespace foretile::measure_runtime_test {
namespace {

/// By hand, for 1 us of an operation, 2 us of a load and 4 us of a store:
/// 1 + 0.1 * 2 + 0.05 * 4 = 1.4, 1 + 0.5 * 2 + 0.1 * 4 = 2.4, 1 + 0.3 * 2 + 0.5 * 4 = 3.6.
TEST(MeasureRuntime, TellsOperationsLoadsAndStoresApart) {
  const ProgressOverheads found =
      progress_overheads({1.4e-6, 0.1, 0.05}, {2.4e-6, 0.5, 0.1}, {3.6e-6, 0.3, 0.5});
  EXPECT_NEAR(found.operation_s, 1e-6, 1e-12);
  EXPECT_NEAR(found.load_s, 2e-6, 1e-12);
  EXPECT_NEAR(found.store_s, 4e-6, 1e-12);
  EXPECT_NEAR(found.seconds(2, 3), 17e-6, 1e-11);  // 1 + 2 * 2 + 3 * 4
}

/// The first work's 0.1 us are less than its loads take: 0.5 l + 0.1 s = 2.4 and 0.3 l + 0.5 s = 3.6 give
/// l = 0.84 / 0.22 = 3.818 us and s = 1.08 / 0.22 = 4.909 us.
TEST(MeasureRuntime, AnOperationDoesNotCostLessThanNothing) {
  const ProgressOverheads found =
      progress_overheads({0.1e-6, 0.1, 0.05}, {2.4e-6, 0.5, 0.1}, {3.6e-6, 0.3, 0.5});
  EXPECT_EQ(found.operation_s, 0);
  EXPECT_NEAR(found.load_s, 3.818e-6, 1e-9);
  EXPECT_NEAR(found.store_s, 4.909e-6, 1e-9);
}

TEST(MeasureRuntime, TakesNegativeFiguresForNothing) {
  const ProgressOverheads none = progress_overheads({-1e-6, 0.1, 0.1}, {-2e-6, 0.5, 0.1}, {-1e-6, 0.3, 0.5});
  for (const double seconds : {none.operation_s, none.load_s, none.store_s}) EXPECT_EQ(seconds, 0);
  const ProgressOverheads no_tiles = progress_overheads({1e-6, 0, 0}, {1e-6, 0, 0}, {1e-6, 0, 0});
  EXPECT_NEAR(no_tiles.operation_s, 1e-6, 1e-15);
  EXPECT_EQ(no_tiles.load_s, 0);
  EXPECT_EQ(no_tiles.store_s, 0);
}

/// Two cores are a tenth slower for 0.5 s, in which there are 1000 polls: 0.1 * 2 * 0.5 s / 1000 = 100 us.
TEST(MeasureRuntime, ALookCostsWhatProductsLose) {
  EXPECT_NEAR(lost_core_seconds(40e9, 36e9, 2, 0.5, 1000), 100e-6, 1e-12);
  EXPECT_LT(lost_core_seconds(40e9, 41e9, 2, 0.5, 1000), 0);
  EXPECT_EQ(lost_core_seconds(40e9, 40e9, 2, 0.5, 0), 0);
}

/// Of 4, 8 and 6 ms for 2000 operations: 3 us each, with 500 loads and 200 stores.
TEST(MeasureRuntime, TakesTheMedianOfRuns) {
  RunCounts run{.operations = 2000, .loads = 500, .stores = 200};
  std::vector<RunCounts> runs;
  for (const double seconds : {4e-3, 8e-3, 6e-3}) {
    run.progress_s = seconds;
    runs.push_back(run);
  }
  const ProgressCost found = progress_cost(runs);
  EXPECT_NEAR(found.seconds, 3e-6, 1e-15);
  EXPECT_NEAR(found.loads, 0.25, 1e-12);
  EXPECT_NEAR(found.stores, 0.1, 1e-12);
}

/// 500 products of the busier of two devices on one core in 20, 40 and 30 ms: 30 us each, half of which is
/// the other's. 800 products have 80 operations of 10 us, 40 loads of 20 us and 8 stores of 50 us: 2.5 us
/// each.
TEST(MeasureRuntime, AProductCostsWhatKernelAndProgressLeave) {
  RunCounts run{.products = 800, .operations = 80, .loads = 40, .stores = 8, .most_products = 500};
  std::vector<RunCounts> runs;
  for (const double seconds : {20e-3, 40e-3, 30e-3}) {
    run.wall_s = seconds;
    runs.push_back(run);
  }
  const ProgressOverheads progress{10e-6, 20e-6, 50e-6};
  const Summary found = product_overhead(runs, 2, 4e-6, progress);
  EXPECT_NEAR(found.median, 30e-6 - 4e-6 - 2.5e-6, 1e-12);
  EXPECT_NEAR(found.spread, 1.4826 * 10 / 30, 1e-9);
  EXPECT_EQ(product_overhead(runs, 2, 29e-6, progress).median, 0);
}

/// So little work that it takes no time with sanitizers, which see products in plain loops.
RuntimeOptions tiny() {
  RuntimeOptions options;
  options.tiles = 6;
  options.large_tiles = 2;
  options.runs = 2;
  options.polling = {.rounds = 2,
                     .round_s = 0.01,
                     .products = {.large = 32, .small = 8, .small_products = 10, .bytes = 1 << 16},
                     .message_bytes = 1 << 16};
  return options;
}

/// How large the figures are is for benchmarks to say: no more here than all cores had during the call.
TEST(MeasureRuntime, FiguresAreTheSameOnAllRanks) {
  const RuntimeOptions options = tiny();
  const TimeBudget clock;
  const RuntimeFigures found = measure_runtime(MPI_COMM_WORLD, options);
  const double core_seconds =
      machine_facts().cores * all_reduced(clock.elapsed(), MPI_MAX, MPI_COMM_WORLD, "time");
  const bool several = size_of(MPI_COMM_WORLD) > 1;
  EXPECT_FALSE(found.when.empty());
  for (const double seconds :
       {found.operation_overhead_s, found.product_overhead_s, found.shared_product_overhead_s,
        found.load_overhead_s, found.store_overhead_s, found.look_overhead_s, found.polling_delay_s}) {
    EXPECT_GE(seconds, 0);
    EXPECT_LT(seconds, core_seconds);
  }
  EXPECT_GE(found.overhead_spread, 0);
  EXPECT_EQ(found.polling_delay_s > 0, several);
  if (!several) {
    EXPECT_EQ(found.message_copy_bytes_per_s, 0);
  }
  std::array figures{found.operation_overhead_s, found.product_overhead_s, found.shared_product_overhead_s,
                     found.load_overhead_s,      found.store_overhead_s,   found.look_overhead_s,
                     found.polling_delay_s,      found.overhead_spread,    found.message_copy_bytes_per_s};
  const std::array mine = figures;
  all_reduce(std::span(figures), MPI_MAX, MPI_COMM_WORLD, "figures");
  EXPECT_EQ(mine, figures);
}

/// Three works of the progress loop, products on all ranks, and products on the first rank alone.
TEST(MeasureRuntime, RepeatsRunsWhileThereIsTime) {
  const bool first = rank_in(MPI_COMM_WORLD) == 0;
  RuntimeOptions options = tiny();
  options.polling.rounds = 1;
  int runs = 0;
  options.progress = [&] { ++runs; };  // one time more at the end of a work
  measure_runtime(MPI_COMM_WORLD, options);
  EXPECT_EQ(runs, (first ? 5 : 1) * (options.runs + 1));
  runs = 0;
  options.budget = TimeBudget(0);
  measure_runtime(MPI_COMM_WORLD, options);
  EXPECT_EQ(runs, (first ? 5 : 1) * 2);
}

}  // namespace
}  // namespace foretile::measure_runtime_test
