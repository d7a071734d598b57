// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/parameter.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile::parameter_test {
namespace {

std::string error_of(const Spelling& spelling, const std::string& text) {
  try {
    return "taken as " + spelling("f:2: key", text);
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Spellings, EqualValuesAreSpeltAlike) {
  for (const char* text : {"16 MB", "16000000", "16e6", "0.016 GB"})
    EXPECT_EQ(whole_bytes(1, 1 << 30)("", text), "16000000") << text;
  for (const char* text : {"0.5", "0.50", "5e-1", ".5"})
    EXPECT_EQ(real_number(0, 1)("", text), "0.5") << text;
  for (const char* text : {"0", "-0", "-0.0"}) EXPECT_EQ(real_number(0, 1)("", text), "0") << text;
  for (const char* text : {"7", "007"}) EXPECT_EQ(whole_number(0, 9)("", text), "7") << text;
  EXPECT_EQ(auto_or_whole_number(1, 9)("", "auto"), "auto");
  EXPECT_EQ(auto_or_whole_number(1, 9)("", "9"), "9");
  EXPECT_EQ(one_of({"none", "all"})("", "all"), "all");
}

TEST(Spellings, OtherValuesAreErrors) {
  EXPECT_EQ(error_of(whole_bytes(1, 2000), "3 kB"),
            "f:2: key: found 3 kB, expected a whole number of bytes from 1 to 2000");
  EXPECT_EQ(error_of(whole_bytes(1, 2000), "1.5"),
            "f:2: key: found 1.5, expected a whole number of bytes from 1 to 2000");
  EXPECT_EQ(error_of(real_number(0, 1), "1.5"), "f:2: key: found 1.5, expected a number from 0 to 1");
  EXPECT_EQ(error_of(whole_number(0, 9), "auto"),
            "f:2: key: found auto, expected a whole number from 0 to 9");
  EXPECT_EQ(error_of(one_of({"none", "all"}), "some"), "f:2: key: found some, expected one of none, all");
  EXPECT_EQ(error_of(one_of({"none", "all"}), ""), "f:2: key: found nothing, expected one of none, all");
}

/// What the strategies say of themselves agrees.
TEST(Spellings, TakeDefaultsAndWhatIsTried) {
  for (const auto& strategy : strategies()) {
    for (const ParameterInfo& parameter : strategy->parameters()) {
      EXPECT_EQ(parameter.spelling(parameter.key, parameter.default_value), parameter.default_value);
      for (const std::string& text : parameter.tries)
        EXPECT_EQ(parameter.spelling(parameter.key, text), text);
    }
  }
}

}  // namespace
}  // namespace foretile::parameter_test
