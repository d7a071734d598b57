#include "planner/problem/kinds/dense.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

// 1500 in two parts: 750. 4097 in five parts: 819.4, so 820. 512 x 8192: eight parts of 8192.
TEST(UsualTile, CutsTheLargestExtentEvenly) {
  EXPECT_EQ(usual_tile(1500, 10, 1), 750);
  EXPECT_EQ(usual_tile(4097, 4096, 4096), 820);
  EXPECT_EQ(usual_tile(512, 8192, 8192), 1024);
  EXPECT_EQ(usual_tile(1, 1, 1), 1);
}

}  // namespace
}  // namespace foretile
