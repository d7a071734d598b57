// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/permute_block.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace foretile::permute_block_test {
namespace {

/// to(2, 3, 5) = 0.5 to + 3 from, whose axes are in each order: parts write what the whole does, also where
/// there are more of them than elements along the slowest axis.
TEST(PermutedAddition, InPartsIsTheWhole) {
  std::vector<double> from(30), begin(30);
  std::iota(from.begin(), from.end(), 1.0);
  std::iota(begin.begin(), begin.end(), 100.0);
  const auto result = [&](const AxisOrder& order, int parts) {
    std::vector<double> to = begin;
    const auto jobs = jobs_of({{2, 3, 5}, order, 0.5, 3, from.data(), to.data()}, parts);
    EXPECT_EQ(std::ssize(jobs), parts);
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) (*job)();
    return to;
  };
  const std::vector<double> by_hand = result({{1, 0, 2}, 3}, 3);
  EXPECT_EQ(by_hand[1], 0.5 * 101 + 3 * 4);    // to(1, 0, 0), from(0, 1, 0) of (3, 2, 5)
  EXPECT_EQ(by_hand[28], 0.5 * 128 + 3 * 27);  // to(0, 2, 4), from(2, 0, 4)
  for (const AxisOrder& order : {AxisOrder{{0, 1, 2}, 3},
                                 {{0, 2, 1}, 3},
                                 {{1, 0, 2}, 3},
                                 {{1, 2, 0}, 3},
                                 {{2, 0, 1}, 3},
                                 {{2, 1, 0}, 3}}) {
    const std::vector<double> whole = result(order, 1);
    for (const int parts : {2, 3, 5, 7, 40}) EXPECT_EQ(result(order, parts), whole) << parts;
  }
}

}  // namespace
}  // namespace foretile::permute_block_test
