// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/values_text.hpp"

#include <gtest/gtest.h>

namespace foretile::values_text_test {
namespace {

const std::vector<std::string> fractions = {"0.3", "0.4", "0.5", "0.6", "0.7"};

TEST(NumberIn, TakesWholeFiniteNumbers) {
  EXPECT_EQ(number_in("0.50"), 0.5);
  EXPECT_EQ(number_in("1e9"), 1e9);
  for (const char* text : {"", "16 MB", "auto", "nan", "inf", "1,5", " 1"})
    EXPECT_FALSE(number_in(text)) << text;
}

TEST(ValuesText, ThreeNeighboursAreARange) {
  EXPECT_EQ(values_text({"0.5", "0.3", "0.4"}, fractions), "0.3 to 0.5");
  EXPECT_EQ(values_text({"0.3", "0.4"}, fractions), "0.3, 0.4");
  EXPECT_EQ(values_text({"0.3", "0.4", "0.6", "0.7"}, fractions), "0.3, 0.4, 0.6, 0.7");
  EXPECT_EQ(values_text({"0.3", "0.5", "0.6", "0.7"}, fractions), "0.3, 0.5 to 0.7");
  EXPECT_EQ(values_text({"0.5"}, fractions), "0.5");
  EXPECT_EQ(values_text({}, fractions), "");
}

/// In the space's own order 0.5 would come first: "0.5 to 0.9" would hide 0.3.
TEST(ValuesText, NumbersGoBySize) {
  EXPECT_EQ(values_text({"0.5", "0.3", "0.9"}, {"0.5", "0.3", "0.9"}), "0.3 to 0.9");
  EXPECT_EQ(values_text({"2", "10", "1"}, {}), "1 to 10");
}

TEST(ValuesText, OtherValuesAreListed) {
  EXPECT_EQ(values_text({"c", "a", "b"}, {"b", "a", "c"}), "b, a, c");
  EXPECT_EQ(values_text({"auto", "1", "2", "3"}, {"auto", "1", "2", "3"}), "auto, 1, 2, 3");
  EXPECT_EQ(values_text({"-", "1"}, {"1", "2"}), "1, -");
}

/// 0.45 is between two that are shown, and was tried.
TEST(ValuesText, KnowsValuesOutsideTheSpace) {
  EXPECT_EQ(values_text({"0.4", "0.45", "0.5"}, fractions), "0.4 to 0.5");
}

}  // namespace
}  // namespace foretile::values_text_test
