#include "executor/mpi/measure_runtime.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

TEST(MeasureRuntime, TimesProductsAndMessages) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  RuntimeOptions options;
  options.tiles = 6;
  options.runs = 2;
  options.message_bytes = 1 << 16;
  options.messages = 2;
  const RuntimeFigures found = measure_runtime(MPI_COMM_WORLD, options);
  EXPECT_GT(found.product_overhead_s, 0);
  EXPECT_LT(found.product_overhead_s, 10);
  EXPECT_GT(found.shared_product_overhead_s, 0);
  EXPECT_FALSE(found.when.empty());
  if (ranks > 1) {
    EXPECT_GT(found.message_copy_bytes_per_s, 1e5);
  } else {
    EXPECT_EQ(found.message_copy_bytes_per_s, 0);
  }
}

}  // namespace
}  // namespace foretile
