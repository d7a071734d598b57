// SPDX-License-Identifier: BSD-3-Clause
#include "base/toml_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace foretile::toml_text_test {
namespace {

constexpr const char* micro = "\xc2\xb5";

std::string with_escapes(const std::string& text) {
  return ascii_with_escapes(text, "a.toml");
}

/// a.a.a
std::string key_of(int parts) {
  std::string key = "a";
  for (int i = 1; i < parts; ++i) key += ".a";
  return key;
}

TEST(TomlText, LettersBeyondAsciiBecomeQuestionMarks) {
  EXPECT_EQ(ascii_for_toml(std::string("\xef\xbb\xbfkey = \"") + micro + "\"", "a.toml"), "key = \"??\"");
}

constexpr const char* escaped = "\\U000000B5";

TEST(TomlText, LettersBetweenDoubleQuotesBecomeEscapes) {
  for (const std::string quoted : {"\"@\"", "\"\\\"@\"", "'\\' \"@\"", "\"\"\"\n@\"\"\"",
                                   "\"\"\"\"@\"\"\"\"\"", "\"\" \"@\"", "\"#@\""}) {
    std::string text = quoted;
    std::string safe = quoted;
    text.replace(text.find('@'), 1, micro);
    safe.replace(safe.find('@'), 1, escaped);
    EXPECT_EQ(with_escapes("k = " + text + micro + "\n"), "k = " + safe + "??\n");
  }
}

/// One letter of each length, and bytes that are none: a lone second byte, an overlong '/', a surrogate, one
/// beyond the last.
TEST(TomlText, EscapesByHand) {
  EXPECT_EQ(with_escapes("\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""),
            "\"\\U000000E9 \\U000020AC \\U0001F600\"");
  EXPECT_EQ(with_escapes("\"\x80 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82\""), "\"? ?? ??? ???? ??\"");
}

/// toml++ runs into unreachable code there.
TEST(TomlText, LettersAfterABackslashStayErrors) {
  EXPECT_EQ(with_escapes("\"\"\"\\\xca\xb0"), "\"\"\"\\?");
  EXPECT_EQ(with_escapes("\"\\\\\xc2\xb5\""), "\"\\\\\\U000000B5\"");
}

TEST(TomlText, LettersBetweenSingleQuotesAreErrors) {
  try {
    with_escapes(std::string("a = 1\nb = '") + micro + "'");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "a.toml:2: found letters beyond ASCII between single quotes, expected ASCII; use double quotes");
  }
}

TEST(TomlText, QuotesWithinNumbersAndWordsBeginNoString) {
  EXPECT_EQ(with_escapes(std::string("x = [5\"") + micro + "\"]\na'" + micro), "x = [5\"??\"]\na'??");
}

TEST(TomlText, QuotesInCommentsBeginNoString) {
  EXPECT_EQ(with_escapes(std::string("# don't ") + micro + "\n\"" + micro + "\""),
            std::string("# don't ??\n\"") + escaped + "\"");
}

TEST(TomlText, StringsThatAreNotClosedEndWithTheirLineOrTheText) {
  EXPECT_EQ(with_escapes(std::string("\"") + micro + "\n" + micro), std::string("\"") + escaped + "\n??");
  for (const std::string open : {"\"", "'", "\"\"\"", "'''", "\"\\", "\"\"\"\\", "'''''"})
    EXPECT_EQ(with_escapes(open), open);
}

TEST(TomlText, KeysHaveFewParts) {
  const std::string most = key_of(kMostKeyParts);
  const std::string others =
      fmt::format("[{0}]\n{0} = {{{0} = [1.5, 2.5], {0} = \"{1}\"}} # {1}\n", most, key_of(99));
  EXPECT_EQ(with_escapes(others), others);
  for (const std::string form : {"\n{} = 1", "\n[{}]", "\na = {{{} = 1}}", "\n\"a\".{} = 1"}) {
    try {
      with_escapes(fmt::format(fmt::runtime(form), key_of(kMostKeyParts + 1)));
      ADD_FAILURE() << form;
    } catch (const InputError& error) {
      EXPECT_STREQ(
          error.what(),
          "a.toml:2: found a key of too many parts, expected at most 32 parts with dots between them");
    }
  }
  EXPECT_THROW(ascii_for_toml(key_of(kMostKeyParts + 1), "a.toml"), InputError);
}

}  // namespace
}  // namespace foretile::toml_text_test
