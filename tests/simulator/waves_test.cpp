#include "simulator/waves.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

/// Tiles of C: 7 7 9 7. The second and third products of tile 7 wait for the first.
TEST(Waves, NoTileOfCTwiceInOne) {
  Waves waves;
  waves.add(7, {1, 1, 1});
  waves.add(7, {2, 2, 2});
  waves.add(9, {3, 3, 3});
  waves.add(7, {4, 4, 4});
  ASSERT_EQ(waves.all().size(), 3U);
  ASSERT_EQ(waves.all()[0].size(), 2U);
  EXPECT_EQ(waves.all()[0][0].m, 1);
  EXPECT_EQ(waves.all()[0][1].m, 3);
  ASSERT_EQ(waves.all()[1].size(), 1U);
  EXPECT_EQ(waves.all()[1][0].m, 2);
  ASSERT_EQ(waves.all()[2].size(), 1U);
  EXPECT_EQ(waves.all()[2][0].m, 4);
}

TEST(Waves, ClearedIsAsNew) {
  Waves waves;
  waves.add(1, {});
  waves.add(1, {});
  waves.clear();
  waves.add(1, {5, 5, 5});
  ASSERT_FALSE(waves.all().empty());
  EXPECT_EQ(waves.all()[0].size(), 1U);
  for (std::size_t i = 1; i < waves.all().size(); ++i) EXPECT_TRUE(waves.all()[i].empty());
}

}  // namespace
}  // namespace foretile
