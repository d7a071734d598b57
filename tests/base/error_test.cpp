// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"

#include <gtest/gtest.h>

#include "base/missing_memory.hpp"

namespace foretile::error_test {
namespace {

TEST(Errors, AreOneLineWhole) {
  EXPECT_STREQ(InputError(std::string("a\0b\nc", 5)).what(), "a\\x00b\\nc");
  EXPECT_STREQ(WorkError("a\nb").what(), "a\\nb");
  EXPECT_EQ(std::string(InputError(std::string(100'000, 'x')).what()).size(), 2000U);
}

TEST(Errors, QuoteShortly) {
  const std::string value(100'000, 'x');
  const std::string cut = std::string(197, 'x') + "...";
  EXPECT_EQ(input_error("key", value, "a number", "change it").what(),
            "key: found " + cut + ", expected a number; change it");
  EXPECT_EQ(input_error(value, "1", "a number").what(), cut + ": found 1, expected a number");
}

TEST(Errors, AnUnknownKeyListsTheKnownOnes) {
  EXPECT_STREQ(unknown_key("p.toml:12", "latenzy", {"latency", "bandwidth"}, " in [network]").what(),
               "p.toml:12: unknown key \"latenzy\" in [network]; did you mean \"latency\"? "
               "Known keys: latency, bandwidth");
  EXPECT_STREQ(unknown_key("--set", "zzz", {"a", "b"}).what(),
               "--set: unknown key \"zzz\". Known keys: a, b");
  EXPECT_STREQ(unknown_key("p.toml:1", "bandwidth", {"name"}, "", {"nvlink.bandwidth"}).what(),
               "p.toml:1: unknown key \"bandwidth\"; did you mean \"nvlink.bandwidth\"? Known keys: name");
}

TEST(Errors, EndWithTheirPage) {
  EXPECT_EQ(explained(InputError("a")), "a");
  EXPECT_EQ(explained(std::runtime_error("a")), "a");
  EXPECT_EQ(explained(WorkError("a", HelpPage::budget)), "a; see docs/how-to/search-found-nothing.md");
  const std::string longest = explained(InputError(std::string(100'000, 'x'), HelpPage::ranks));
  EXPECT_EQ(longest.size(), 2000U);
  EXPECT_TRUE(longest.ends_with("; see docs/how-to/ranks-differ.md")) << longest;
}

TEST(Errors, KeepTheirPageWhenAPlaceIsAdded) {
  const InputError error = within("p.toml", unknown_key("line 2", "x", {"y"}));
  EXPECT_STREQ(error.what(), "p.toml: line 2: unknown key \"x\". Known keys: y");
  EXPECT_EQ(error.page(), HelpPage::unknown_key);
}

/// The page of the cause is kept, and so is the type.
TEST(Errors, GetAPageWhereTheyHaveNone) {
  const auto page_of = [](const InputError& thrown) {
    try {
      with_page(HelpPage::wrong_file, [&] { throw thrown; });
    } catch (const InputError& error) {
      return error.page();
    }
    return HelpPage::none;
  };
  EXPECT_EQ(page_of(InputError("a")), HelpPage::wrong_file);
  EXPECT_EQ(page_of(InputError("a", HelpPage::ranks)), HelpPage::ranks);
  EXPECT_EQ(with_page(HelpPage::wrong_file, [] { return 3; }), 3);
  EXPECT_THROW(with_page(HelpPage::wrong_file, [] { throw MissingMemory(InputError("a")); }), MissingMemory);
}

}  // namespace
}  // namespace foretile::error_test
