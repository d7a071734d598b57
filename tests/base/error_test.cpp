// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace foretile::error_test
