// SPDX-License-Identifier: BSD-3-Clause
#include "base/one_line.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace foretile::one_line_test {
namespace {

TEST(OneLine, LeavesPlainTextAlone) {
  for (const char* text : {"", "plain", "caf\u00e9 \u20ac \U0001f600", "a\\b \"c\""})
    EXPECT_EQ(one_line(text), text);
}

TEST(OneLine, EscapesControlCharacters) {
  EXPECT_EQ(one_line(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(one_line("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(one_line("\x1b[31m\x7f"), "\\x1b[31m\\x7f");
  EXPECT_EQ(one_line("\u009b31m"), "\\xc2\\x9b31m");       // CSI as one character
  EXPECT_EQ(one_line("\u2028"), "\\xe2\\x80\\xa8");        // a line separator
  EXPECT_EQ(one_line("\u202egnp"), "\\xe2\\x80\\xaegnp");  // right-to-left override
}

TEST(OneLine, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(one_line("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(one_line("\xc0\x80"), "\\xc0\\x80");                    // an overlong NUL
  EXPECT_EQ(one_line("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a surrogate pair
  EXPECT_EQ(one_line("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(one_line("\xe2\x82"), "\\xe2\\x82");                    // cut in the middle
}

TEST(OneLine, ShortensBetweenCharacters) {
  EXPECT_EQ(one_line("12345", 5), "12345");
  EXPECT_EQ(one_line("123456", 5), "12...");
  EXPECT_EQ(one_line("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 5), "\u00e9...");
  EXPECT_EQ(one_line("1\n3456", 5), "1...");  // no half of an escape
  EXPECT_EQ(quote(std::string(100'000, 'x')), std::string(197, 'x') + "...");
}

TEST(OneLine, NoControlBytesRemain) {
  Random random(20260101);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int i = 0; i < 50; ++i) text += static_cast<char>(random.integer(0, 255));
    for (const char c : one_line(text, 100)) {
      const auto byte = static_cast<unsigned char>(c);
      ASSERT_TRUE(byte >= 0x20 && byte != 0x7f) << "round " << round;
    }
    ASSERT_LE(one_line(text, 100).size(), 100U) << "round " << round;
  }
}

}  // namespace
}  // namespace foretile::one_line_test
