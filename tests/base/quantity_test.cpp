// SPDX-License-Identifier: BSD-3-Clause
#include "base/quantity.hpp"

#include <gtest/gtest.h>

namespace foretile::quantity_test {
namespace {

TEST(Quantity, KeepsThreeDigitsWithAPrefix) {
  EXPECT_EQ(quantity(8.77e14, "flop"), "877 Tflop");
  EXPECT_EQ(quantity(0.0021, "s"), "2.10 ms");
  EXPECT_EQ(quantity(12.34, "s"), "12.3 s");
  EXPECT_EQ(quantity(999.6, "B"), "1.00 kB");
  EXPECT_EQ(quantity(9.996, "B"), "10.0 B");
  EXPECT_EQ(quantity(-1500, "B"), "-1.50 kB");
  EXPECT_EQ(quantity(0, "B"), "0 B");
}

TEST(Quantity, SpellsBytesExactlyAndForPeople) {
  EXPECT_EQ(spelled_bytes(1), "1 bytes");
  EXPECT_EQ(spelled_bytes(999'999), "999999 bytes");
  EXPECT_EQ(spelled_bytes(1'000'000), "1000000 bytes (1.00 MB)");
  EXPECT_EQ(spelled_bytes(1'237'940'039'285), "1237940039285 bytes (1.24 TB)");
}

}  // namespace
}  // namespace foretile::quantity_test
