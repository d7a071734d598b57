// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/distribute_blocks.hpp"

#include <gtest/gtest.h>

#include "tests/planner/dense_product.hpp"

namespace foretile::distribute_blocks_test {
namespace {

using Numbers = std::vector<std::int32_t>;

TEST(DistributeBlocks, ADeviceOfNoSpeedGetsNothing) {
  EarliestFinish earliest({0, 1});
  for (int block = 0; block < 3; ++block) EXPECT_EQ(earliest.assign(2), 1U);
  EXPECT_DOUBLE_EQ(earliest.seconds(), 6);
}

/// Five blocks, a device that does two in a second and one that does one: after 0.5, 1 (both), 1.5 and 2.
TEST(DistributeBlocks, ThatAreEqualTakeAsLongAsTheLastDevice) {
  EXPECT_DOUBLE_EQ(seconds_of_equal(5, {2, 1}), 2);
  EXPECT_DOUBLE_EQ(seconds_of_equal(4, {2, 1}), 1.5);
}

/// Blocks of 1, 2, 1 and 2 columns. The largest first: block 1 to device 0, block 3 to device 1, then one of
/// the small ones to each.
TEST(DistributeBlocks, AreDistributedLargestFirstAndKeepTheirOrder) {
  const Contraction p = dense_product(2, 12, 2, 2);
  const auto block = [](Numbers columns) { return Block{std::move(columns), {{{0}}}}; };
  const auto distributed =
      distribute_blocks(p, {block({0}), block({1, 2}), block({3}), block({4, 5})}, {1, 1});
  ASSERT_EQ(distributed[0].size(), 2U);
  ASSERT_EQ(distributed[1].size(), 2U);
  EXPECT_EQ(distributed[0][0].columns, (Numbers{0}));
  EXPECT_EQ(distributed[0][1].columns, (Numbers{1, 2}));
  EXPECT_EQ(distributed[1][0].columns, (Numbers{3}));
  EXPECT_EQ(distributed[1][1].columns, (Numbers{4, 5}));
}

}  // namespace
}  // namespace foretile::distribute_blocks_test
