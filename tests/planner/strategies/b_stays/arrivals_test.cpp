// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays/arrivals.hpp"

#include <gtest/gtest.h>

#include "tests/planner/small_machine.hpp"

namespace foretile::arrivals_test {
namespace {

/// A is one row of four tiles of 8 x 8 numbers: 512 bytes each.
Contraction four_tiles() {
  const Tiling one = Tiling::uniform(8, 8), four = Tiling::uniform(32, 8);
  return {"", one, one, four, Shape::dense(1, 4), Shape::dense(4, 1), Shape::dense(1, 1), 0};
}

/// 1 s of software for a tile, at either end.
Machine four_ranks() {
  Machine machine = small_machine(4, 1, 10000, 100000);
  machine.platform.runtime.message_overhead_s = 1;
  return machine;
}

/// Rank 0 sends tile 0 to 1, 2 and 3 (3 is a child of 1 in the tree), then tile 1 to 1.
///   rank 0: to 1 from 0 to 1 s, to 2 until 2 s, tile 1 until 3 s
///   rank 1: receives tile 0 from 1 to 2 s, sends it to 3 until 3 s, receives tile 1 from 3 to 4 s
///   rank 2: receives from 2 to 3 s; rank 3 from 3 to 4 s
TEST(Arrivals, AlongATreeByHand) {
  const Transfer to_all{{0}, {1, 2, 3}};
  const Transfer to_one{{1}, {1}};
  const auto arrivals = expected_arrivals({{to_all, to_one}, {}, {}, {}}, four_tiles(), four_ranks());
  EXPECT_EQ(arrivals[0], Arrivals{});
  EXPECT_EQ(arrivals[1], (Arrivals{{0, 2.0}, {1, 4.0}}));
  EXPECT_EQ(arrivals[2], (Arrivals{{0, 3.0}}));
  EXPECT_EQ(arrivals[3], (Arrivals{{0, 4.0}}));
}

/// 512 bytes at 256 bytes/s after 0.5 s: 2.5 s between nodes; inside a node 1 s. Rank 1 shares rank 0's node.
TEST(Arrivals, TravelOverTheRightLink) {
  Machine machine = four_ranks();
  machine.ranks_per_node = 2;
  machine.platform.network.message = {0.5, 256};
  machine.platform.links.message = {0, 512};
  const auto arrivals =
      expected_arrivals({{Transfer{{0}, {1}}, Transfer{{1}, {2}}}, {}, {}, {}}, four_tiles(), machine);
  EXPECT_EQ(arrivals[1], (Arrivals{{0, 3.0}}));  // 1 + 1 + 1
  EXPECT_EQ(arrivals[2], (Arrivals{{1, 5.5}}));  // 2 + 2.5 + 1
}

/// Earlier transfers first, own and forwarded ones alike: rank 1 has twelve tiles to send to rank 2, which
/// take until 12 s, when it gets one for rank 3. That goes before those of its own that have later numbers:
/// no more than four are on their way.
TEST(Arrivals, EarlierNumbersGoFirst) {
  const Transfer through{{0}, {1, 2, 3}};  // 3 gets it from 1
  const std::vector<Transfer> own(12, Transfer{{1}, {2}});
  const auto arrivals = expected_arrivals({{through}, own, {}, {}}, four_tiles(), four_ranks());
  ASSERT_EQ(arrivals[3].size(), 1U);
  ASSERT_EQ(arrivals[2].size(), 13U);
  EXPECT_LT(arrivals[3][0].second, 12);
  EXPECT_GT(arrivals[2].back().second, 13);
}

}  // namespace
}  // namespace foretile::arrivals_test
