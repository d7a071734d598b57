// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/parameter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "platforms/units.hpp"

namespace foretile {

Spelling whole_number(std::int64_t low, std::int64_t high) {
  return [=](std::string_view where, const std::string& text) {
    return fmt::to_string(parse_integer(text, where, low, high));
  };
}

Spelling auto_or_whole_number(std::int64_t low, std::int64_t high) {
  return [=](std::string_view where, const std::string& text) {
    const auto given = parse_auto_or_integer(text, where, low, high);
    return given ? fmt::to_string(*given) : std::string(kAuto);
  };
}

Spelling real_number(double low, double high) {
  return [=](std::string_view where, const std::string& text) {
    return fmt::to_string(parse_real(text, where, low, high) + 0.0);  // 0 for -0
  };
}

Spelling whole_bytes(std::int64_t low, std::int64_t high) {
  return [=](std::string_view where, const std::string& text) {
    const double bytes = parse_quantity(text, Dimension::bytes, where);
    if (bytes >= static_cast<double>(low) && bytes <= static_cast<double>(high) && bytes == std::floor(bytes))
      return fmt::to_string(static_cast<std::int64_t>(bytes));
    throw input_error(where, text, fmt::format("a whole number of bytes from {} to {}", low, high));
  };
}

Spelling one_of(std::vector<std::string> words) {
  return [words = std::move(words)](std::string_view where, const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return text;
    throw input_error(where, text.empty() ? "nothing" : text,
                      fmt::format("one of {}", fmt::join(words, ", ")));
  };
}

ParameterInfo distributes_c(ParameterInfo info) {
  info.distributes_c = true;
  return info;
}

ParameterInfo with_divisors(ParameterInfo info) {
  info.tries_divisors = true;
  return info;
}

ParameterInfo in_reports(ParameterInfo info) {
  info.in_reports = true;
  return info;
}

std::string present_key(std::string key) {
  constexpr std::string_view former = "deal.";
  if (key.starts_with(former)) key.replace(0, former.size(), "distribution.");
  return key;
}

Settings present_keys(const Settings& settings) {
  Settings present;
  for (const auto& [key, value] : settings) {
    if (!present.emplace(present_key(key), value).second)
      throw input_error("parameters", fmt::format("{} beside its former name", present_key(key)),
                        "one of the two", "leave the other out");
  }
  return present;
}

const ParameterInfo* find_parameter(const std::vector<ParameterInfo>& parameters, std::string_view key) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const ParameterInfo& info) { return info.key == key; });
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace foretile
