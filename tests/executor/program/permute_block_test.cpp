// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/permute_block.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace foretile::permute_block_test {
namespace {

/// to(2, 3, 5) = 0.5 to + 3 from(3, 2, 5): the slowest axis stays. Parts write what the whole does, also
/// where there are more of them than elements along that axis.
TEST(PermutedAddition, InPartsIsTheWhole) {
  std::vector<double> from(30), begin(30);
  std::iota(from.begin(), from.end(), 1.0);
  std::iota(begin.begin(), begin.end(), 100.0);
  const auto result = [&](int parts) {
    std::vector<double> to = begin;
    const AxisOrder order{{1, 0, 2}, 3};
    const auto jobs = jobs_of({{2, 3, 5}, order, 0.5, 3, from.data(), to.data()}, parts);
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) (*job)();
    return std::pair(to, jobs.size());
  };
  const std::vector<double> whole = result(1).first;
  EXPECT_EQ(whole[1], 0.5 * 101 + 3 * 4);    // to(1, 0, 0), from(0, 1, 0)
  EXPECT_EQ(whole[28], 0.5 * 128 + 3 * 27);  // to(0, 2, 4), from(2, 0, 4)
  for (const auto& [parts, jobs] : {std::pair(1, 1U), {2, 2U}, {3, 3U}, {5, 5U}, {7, 5U}}) {
    EXPECT_EQ(result(parts).first, whole) << parts;
    EXPECT_EQ(result(parts).second, jobs) << parts;
  }
}

}  // namespace
}  // namespace foretile::permute_block_test
