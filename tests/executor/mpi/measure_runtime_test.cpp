// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/measure_runtime.hpp"

#include <gtest/gtest.h>

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

/// Two cores are a tenth slower for 0.5 s, in which there are 1000 looks: 0.1 * 2 * 0.5 s / 1000 = 100 us.
TEST(MeasureRuntime, ALookCostsWhatProductsLose) {
  EXPECT_NEAR(lost_core_seconds(40e9, 36e9, 2, 0.5, 1000), 100e-6, 1e-12);
  EXPECT_LT(lost_core_seconds(40e9, 41e9, 2, 0.5, 1000), 0);
  EXPECT_EQ(lost_core_seconds(40e9, 40e9, 2, 0.5, 0), 0);
}

/// So few products may seem to cost nothing: how large the figures are is for benchmarks to say.
TEST(MeasureRuntime, TimesProductsAndMessages) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  RuntimeOptions options;
  options.tiles = 6;
  options.large_tiles = 2;
  options.runs = 2;
  options.looks = {2, 0.01, 1 << 16};
  const RuntimeFigures found = measure_runtime(MPI_COMM_WORLD, options);
  for (const double seconds :
       {found.operation_overhead_s, found.product_overhead_s, found.shared_product_overhead_s,
        found.load_overhead_s, found.store_overhead_s}) {
    EXPECT_GE(seconds, 0);
    EXPECT_LT(seconds, 10);
  }
  EXPECT_FALSE(found.when.empty());
  EXPECT_GE(found.look_overhead_s, 0);
  EXPECT_LT(found.look_overhead_s, 0.1);
  if (ranks > 1) {
    // In so few rounds products may lose nothing by chance.
    if (found.message_copy_bytes_per_s != 0) {
      EXPECT_GT(found.message_copy_bytes_per_s, 1e5);
    }
  } else {
    EXPECT_EQ(found.message_copy_bytes_per_s, 0);
  }
}

}  // namespace
}  // namespace foretile::measure_runtime_test
