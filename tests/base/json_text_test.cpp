// SPDX-License-Identifier: BSD-3-Clause
#include "base/json_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace foretile::json_text_test {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_json<nlohmann::json>(text, "f.json", "a plan file");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(JsonText, IsParsedInBothOrders) {
  const std::string text = R"({"b": [1, {"a": 2}, {"a": 3}], "a": {"b": null}})";
  EXPECT_EQ(parse_json<nlohmann::json>(text, "f", "JSON"), nlohmann::json::parse(text));
  EXPECT_EQ(parse_json<nlohmann::ordered_json>(text, "f", "JSON").dump(),
            nlohmann::ordered_json::parse(text).dump());
}

TEST(JsonText, AKeyThatStandsTwiceIsRefused) {
  EXPECT_EQ(error_of(R"({"a": 1, "b": 2, "a": 1})"),
            "f.json: a: found this key twice, expected each key once");
  EXPECT_NE(error_of(R"({"x": [{"a": {"b": 1, "b": 1}}]})").find("f.json: x.a.b: found"), std::string::npos);
  EXPECT_NE(error_of(R"({"a": 1, "\u0061": 2})").find("twice"), std::string::npos);  // the same key
}

TEST(JsonText, WrongSyntaxIsRefused) {
  for (const char* text : {"", "{", "{\"a\": nan}", "[1] 2", "{\"a\": 1e999}", "\"caf\xe9\""}) {
    EXPECT_TRUE(error_of(text).starts_with("f.json: not a plan file: ")) << error_of(text);
  }
  EXPECT_LT(error_of(std::string(100'000, 'x')).size(), 300U);
}

TEST(JsonText, DeepNestingIsRefused) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(error_of(nested(100)), "nothing thrown");
  EXPECT_NE(error_of(nested(101)).find("more than 100 levels"), std::string::npos);
  EXPECT_NE(error_of(std::string(1'000'000, '[')).find("more than 100 levels"), std::string::npos);
}

}  // namespace
}  // namespace foretile::json_text_test
