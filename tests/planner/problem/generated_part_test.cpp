// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/generated_part.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace foretile::generated_part_test {
namespace {

TEST(GeneratedPart, PartsFollowEachOther) {
  Random random(1);
  for (int run = 0; run < 1000; ++run) {
    const std::int64_t elements = random.integer(250'000, 5'000'000);
    const int parts = parts_of_tile(8 * elements, static_cast<int>(random.integer(1, 50)));
    std::int64_t end = 0;
    std::int64_t largest = 0;
    for (int number = 0; number < parts; ++number) {
      const GeneratedPart part = part_of_tile(3, elements, number, parts);
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
}  // namespace foretile::generated_part_test
