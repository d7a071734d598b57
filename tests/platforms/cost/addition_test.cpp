// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/addition.hpp"

#include <gtest/gtest.h>

namespace foretile::addition_test {
namespace {

/// Four cores share 120 GB/s: 30 GB/s each, so 3 bytes moved for each of 20 GB take 2 s.
TEST(AdditionModel, MovesThreeBytesForEachUnlessMeasured) {
  Platform p;
  EXPECT_EQ(addition_seconds(p, 1000), 0);
  p.cores_per_socket = 4;
  p.memory_bandwidth_bytes_per_s = 120e9;
  EXPECT_DOUBLE_EQ(addition_seconds(p, 20'000'000'000), 2);
  p.addition_bytes_per_s_per_core = 5e9;
  EXPECT_DOUBLE_EQ(addition_seconds(p, 20'000'000'000), 4);
}

/// Two tiles of 1 MB fit into 2 MB, two of a byte more do not.
TEST(AdditionModel, TilesThatFitAreInTheCache) {
  Platform p;
  p.addition_bytes_per_s_per_core = 4e9;
  p.cached_addition_bytes_per_s_per_core = 16e9;
  EXPECT_DOUBLE_EQ(addition_seconds(p, 1'000'000), 250e-6);  // no cache
  p.device.cache.bytes = 2'000'000;
  EXPECT_DOUBLE_EQ(addition_seconds(p, 1'000'000), 62.5e-6);
  EXPECT_DOUBLE_EQ(addition_seconds(p, 1'000'001), 1'000'001 / 4e9);
  p.cached_addition_bytes_per_s_per_core = 0;
  EXPECT_DOUBLE_EQ(addition_seconds(p, 1'000'000), 250e-6);
}

/// 1 MB at 4 GB/s takes 250 us, with indices in another order at 2 GB/s 500 us; the cache has none of it.
TEST(AdditionModel, BlocksAreInMemory) {
  Platform p;
  p.addition_bytes_per_s_per_core = 4e9;
  p.cached_addition_bytes_per_s_per_core = 16e9;
  p.device.cache.bytes = 2'000'000;
  EXPECT_DOUBLE_EQ(block_seconds(p, 1'000'000, false), 250e-6);
  EXPECT_DOUBLE_EQ(block_seconds(p, 1'000'000, true), 250e-6);  // not measured
  p.permuted_addition_bytes_per_s_per_core = 2e9;
  EXPECT_DOUBLE_EQ(block_seconds(p, 1'000'000, false), 250e-6);
  EXPECT_DOUBLE_EQ(block_seconds(p, 1'000'000, true), 500e-6);
}

/// Four cores share 80 GB/s: 20 GB/s each, so 2 bytes moved for each of 10 GB take 1 s. Where an addition
/// of 15 GB takes 3 s, a copy takes two thirds of that.
TEST(AdditionModel, CopiesReadAndWrite) {
  Platform p;
  EXPECT_EQ(memory_copy_seconds(p, 1000), 0);
  p.cores_per_socket = 4;
  p.memory_bandwidth_bytes_per_s = 80e9;
  EXPECT_DOUBLE_EQ(memory_copy_seconds(p, 10'000'000'000), 1);
  p.addition_bytes_per_s_per_core = 5e9;
  EXPECT_DOUBLE_EQ(memory_copy_seconds(p, 15'000'000'000), 2);
}

}  // namespace
}  // namespace foretile::addition_test
