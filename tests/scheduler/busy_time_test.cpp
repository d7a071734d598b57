#include "scheduler/busy_time.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

// |--1--|
//    |--2--|        |3|       [0, 5] and [9, 10]: 6 seconds.
TEST(BusyTime, CountsOverlapsOnce) {
  BusyTime busy;
  busy.begin(0);
  busy.begin(2);
  busy.end(3);
  EXPECT_EQ(busy.seconds(), 0);
  busy.end(5);
  busy.begin(9);
  busy.end(10);
  EXPECT_EQ(busy.seconds(), 6);
}

}  // namespace
}  // namespace foretile
