// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/made_part.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace foretile::made_part_test {
namespace {

/// One part for each megabyte, but no more than cores.
TEST(MadePart, HasAMegabyteAtLeast) {
  EXPECT_EQ(parts_of_tile(8, 7), 1);
  EXPECT_EQ(parts_of_tile(1'999'999, 7), 1);
  EXPECT_EQ(parts_of_tile(2'000'000, 7), 2);
  EXPECT_EQ(parts_of_tile(6'999'999, 7), 6);
  EXPECT_EQ(parts_of_tile(1'000'000'000, 7), 7);
  EXPECT_EQ(parts_of_tile(1'000'000'000, 1), 1);
  EXPECT_EQ(parts_of_tile(1000, 7, 300), 3);
}

/// 4 MB in three parts: 166,667 doubles, or 333,334 floats.
TEST(MadePart, TheLargestDecides) {
  EXPECT_EQ(largest_part_bytes(4'000'000, 8, 3), 1'333'336);
  EXPECT_EQ(largest_part_bytes(4'000'000, 4, 3), 1'333'336);
  EXPECT_EQ(largest_part_bytes(4'000'000, 8, 1), 4'000'000);
  EXPECT_EQ(largest_part_bytes(800, 8, 3), 800);
}

TEST(MadePart, PartsFollowEachOther) {
  Random random(1);
  for (int run = 0; run < 1000; ++run) {
    const std::int64_t elements = random.integer(250'000, 5'000'000);
    const int parts = parts_of_tile(8 * elements, static_cast<int>(random.integer(1, 50)));
    std::int64_t end = 0;
    std::int64_t largest = 0;
    for (int number = 0; number < parts; ++number) {
      const MadePart part = part_of_tile(3, elements, number, parts);
      ASSERT_EQ(part.first, end);
      ASSERT_GE(8 * part.elements, std::min(8 * elements, kLeastPartBytes) - 8) << "run " << run;
      largest = std::max(largest, part.elements);
      end += part.elements;
    }
    EXPECT_EQ(end, elements);
    EXPECT_EQ(static_cast<double>(8 * largest), largest_part_bytes(8 * elements, 8, parts));
  }
}

}  // namespace
}  // namespace foretile::made_part_test
