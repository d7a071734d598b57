// SPDX-License-Identifier: BSD-3-Clause
#include "base/parse.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"

namespace foretile::parse_test {
namespace {

std::string error_of(const std::function<void()>& parse) {
  try {
    parse();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Parse, NumbersWithinTheirLimits) {
  EXPECT_EQ(parse_integer("-3", "k", -3, 5), -3);
  EXPECT_EQ(parse_auto_or_integer("5", "k", -3, 5), 5);
  EXPECT_EQ(parse_auto_or_integer("auto", "k", -3, 5), std::nullopt);
  EXPECT_EQ(parse_real("2.5e-1", "k", 0, 1), 0.25);
  EXPECT_EQ(integer_setting({{"k", "7"}}, "k"), 7);
  EXPECT_EQ(real_setting({{"k", "1e300"}}, "k"), 1e300);
}

TEST(Parse, SaysWhatItFoundAndExpected) {
  EXPECT_EQ(error_of([] { parse_integer("6", "f:2: k", -3, 5); }),
            "f:2: k: found 6, expected a whole number from -3 to 5");
  EXPECT_EQ(error_of([] { parse_auto_or_integer("Auto", "k", 1, 2); }),
            "k: found Auto, expected auto or a whole number from 1 to 2");
  EXPECT_EQ(error_of([] { parse_real("", "k", 0, 1); }), "k: found nothing, expected a number from 0 to 1");
  for (const char* text : {"1 ", " 1", "+1", "1,0", "0x1", "99999999999999999999"}) {
    EXPECT_NE(error_of([&] { parse_integer(text, "k", 0, 9); }), "nothing thrown") << text;
  }
  for (const char* text : {"nan", "inf", "-inf", "1e999", "1.0.0"}) {
    EXPECT_NE(error_of([&] { real_setting({{"k", text}}, "k"); }), "nothing thrown") << text;
  }
}

}  // namespace
}  // namespace foretile::parse_test
