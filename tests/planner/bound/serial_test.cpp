// SPDX-License-Identifier: BSD-3-Clause
#include "planner/bound/serial.hpp"

#include <gtest/gtest.h>

namespace foretile::serial_test {
namespace {

/// 3 s with 8 s behind it, 4 s with 2 s: 3 + 8 = 11, or 3 + 4 + 2 = 9. Two more seconds of the second kind
/// change nothing, six more do: 3 + 10 + 2.
TEST(Serial, WhatFollowsCounts) {
  Serial work(8);
  EXPECT_EQ(work.bound(), 0);
  work.add(3, 8);
  work.add(4, 2);
  EXPECT_DOUBLE_EQ(work.bound(), 11);
  work.add(2, 2);
  EXPECT_DOUBLE_EQ(work.bound(), 11);
  work.add(4, 2);
  EXPECT_DOUBLE_EQ(work.bound(), 15);
}

/// Tails are rounded down to multiples of 2.56 / 256.
TEST(Serial, TailsAreRoundedDown) {
  Serial work(2.56);
  work.add(1, 0.0199);
  EXPECT_NEAR(work.bound(), 1.01, 1e-12);
}

TEST(Serial, WithoutTails) {
  Serial work(0);
  work.add(1, 0);
  work.add(2, 0);
  EXPECT_EQ(work.bound(), 3);
}

}  // namespace
}  // namespace foretile::serial_test
