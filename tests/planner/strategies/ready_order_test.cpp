// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/ready_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/dense_product.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::ready_order_test {
namespace {

/// Blocks with one column each: 0, 1, 2, ...
std::vector<Block> numbered(std::int32_t count) {
  std::vector<Block> blocks;
  for (std::int32_t column = 0; column < count; ++column) blocks.push_back({{column}, {}});
  return blocks;
}

std::vector<std::int32_t> numbers_of(const std::vector<Block>& blocks) {
  std::vector<std::int32_t> numbers;
  for (const Block& block : blocks) numbers.push_back(block.columns.front());
  return numbers;
}

std::vector<std::int32_t> shuffled(std::int32_t count, std::size_t window, std::uint64_t seed) {
  std::vector<Block> blocks = numbered(count);
  shuffle_blocks(blocks, window, seed);
  return numbers_of(blocks);
}

TEST(ReadyOrder, WindowOfOneIsPlanOrder) {
  EXPECT_EQ(shuffled(20, 1, 5), numbers_of(numbered(20)));
}

/// At the time when `place` blocks are taken, those open are among the first place + window.
TEST(ReadyOrder, TakesEachBlockOnceFromTheWindow) {
  for (const std::size_t window : {2U, 3U, 7U, 40U, 1000U}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<std::int32_t> numbers = shuffled(40, window, seed);
      for (std::size_t place = 0; place < numbers.size(); ++place)
        EXPECT_LT(static_cast<std::size_t>(numbers[place]), place + window) << window << " seed " << seed;
      std::sort(numbers.begin(), numbers.end());
      EXPECT_EQ(numbers, numbers_of(numbered(40))) << window << " seed " << seed;
    }
  }
}

TEST(ReadyOrder, RepeatsWithItsSeedAlone) {
  EXPECT_EQ(shuffled(40, 40, 1), shuffled(40, 40, 1));
  EXPECT_NE(shuffled(40, 40, 1), shuffled(40, 40, 2));
}

/// Of three blocks, the first is drawn first in a third of 3000 cases: 1000 +- 4 sqrt(3000 2/9) = 103.
TEST(ReadyOrder, DrawsEvenly) {
  int first = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    if (shuffled(3, 3, seed).front() == 0) ++first;
  }
  EXPECT_NEAR(first, 1000, 103);
}

Settings one_tile_blocks(const std::string& window, const std::string& seed) {
  return {{"strategy", "stationary-c"}, {"b", "1"},          {"c", "1"}, {"barriers", "none"},
          {"order_window", window},     {"order_seed", seed}};
}

TEST(ReadyOrder, IsAParameterOfEveryPlan) {
  const Machine machine = small_machine(2, 2, 1 << 20, std::int64_t{1} << 40);
  const Contraction problem = dense_product(16, 16, 4, 2);
  const Plan drawn = make_plan(problem, machine, one_tile_blocks("100", "3"));
  verify(drawn, problem);
  EXPECT_EQ(plan_digest(drawn), plan_digest(make_plan(problem, machine, one_tile_blocks("100", "3"))));
  EXPECT_NE(plan_digest(drawn), plan_digest(make_plan(problem, machine, one_tile_blocks("100", "4"))));
  EXPECT_NE(plan_digest(drawn), plan_digest(make_plan(problem, machine, one_tile_blocks("1", "3"))));
}

TEST(ReadyOrder, IsRefusedBesideBarriers) {
  Settings settings = one_tile_blocks("2", "0");
  settings["barriers"] = "global";
  try {
    make_plan(dense_product(16, 16, 4, 2), small_machine(1, 1, 1 << 20, std::int64_t{1} << 40), settings);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "order_window: found 2, expected 1 beside barriers, which order the blocks of devices; set "
              "barriers=none");
  }
}

}  // namespace
}  // namespace foretile::ready_order_test
