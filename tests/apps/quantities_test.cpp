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

TEST(Quantities, WritesPercent) {
  EXPECT_EQ(percent(0.0213), "2.13%");
}

}  // namespace
}  // namespace foretile::quantities_test
