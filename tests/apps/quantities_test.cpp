// SPDX-License-Identifier: BSD-3-Clause
#include "apps/quantities.hpp"

#include <gtest/gtest.h>

namespace foretile::quantities_test {
namespace {

TEST(Quantities, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1899971), "1,899,971");
  EXPECT_EQ(grouped(-1000), "-1,000");
  EXPECT_EQ(grouped(-999), "-999");
}

TEST(Quantities, KeepsThreeDigitsWithAPrefix) {
  EXPECT_EQ(quantity(8.77e14, "flop"), "877 Tflop");
  EXPECT_EQ(quantity(0.0021, "s"), "2.10 ms");
  EXPECT_EQ(quantity(12.34, "s"), "12.3 s");
  EXPECT_EQ(quantity(999.6, "B"), "1.00 kB");
  EXPECT_EQ(quantity(9.996, "B"), "10.0 B");
  EXPECT_EQ(quantity(-1500, "B"), "-1.50 kB");
  EXPECT_EQ(quantity(0, "B"), "0 B");
}

TEST(Quantities, WritesPercent) {
  EXPECT_EQ(percent(0.0213), "2.13%");
}

}  // namespace
}  // namespace foretile::quantities_test
