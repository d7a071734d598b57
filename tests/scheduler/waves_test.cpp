// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/waves.hpp"

#include <gtest/gtest.h>

namespace foretile::waves_test {
namespace {

using Numbers = std::vector<int>;

/// Tiles of C: x y x z x y.
TEST(Waves, TheNthProductOnATileIsInWaveN) {
  Waves<char, int> waves;
  int number = 0;
  for (const char c : {'x', 'y', 'x', 'z', 'x', 'y'}) waves.add(c, ++number);
  ASSERT_EQ(waves.all().size(), 3U);
  EXPECT_EQ(waves.all()[0], (Numbers{1, 2, 4}));
  EXPECT_EQ(waves.all()[1], (Numbers{3, 6}));
  EXPECT_EQ(waves.all()[2], (Numbers{5}));
}

TEST(Waves, ClearedIsAsNew) {
  Waves<int, int> waves;
  EXPECT_TRUE(waves.all().empty());
  waves.add(1, 7);
  waves.add(1, 8);
  waves.clear();
  EXPECT_TRUE(waves.all().empty());
  waves.add(1, 9);
  ASSERT_EQ(waves.all().size(), 1U);
  EXPECT_EQ(waves.all()[0], (Numbers{9}));
}

}  // namespace
}  // namespace foretile::waves_test
