// SPDX-License-Identifier: BSD-3-Clause
#include "base/parse.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/error.hpp"

namespace foretile {

namespace {

template <class Number>
Number parse_number(std::string_view text, std::string_view where, Number low, Number high,
                    const char* kind) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= low && value <= high)) {
    throw input_error(where, text.empty() ? "nothing" : text,
                      fmt::format("{} from {} to {}", kind, low, high));
  }
  return value;
}

}  // namespace

std::int64_t parse_integer(std::string_view text, std::string_view where, std::int64_t low,
                           std::int64_t high) {
  return parse_number(text, where, low, high, "a whole number");
}

std::optional<std::int64_t> parse_auto_or_integer(std::string_view text, std::string_view where,
                                                  std::int64_t low, std::int64_t high) {
  if (text == kAuto) return std::nullopt;
  return parse_number(text, where, low, high, "auto or a whole number");
}

double parse_real(std::string_view text, std::string_view where, double low, double high) {
  return parse_number(text, where, low, high, "a number");
}

std::int64_t integer_setting(const Settings& settings, const std::string& key, std::int64_t low,
                             std::int64_t high) {
  return parse_integer(settings.at(key), key, low, high);
}

std::optional<std::int64_t> integer_or_auto(const Settings& settings, const std::string& key,
                                            std::int64_t low, std::int64_t high) {
  return parse_auto_or_integer(settings.at(key), key, low, high);
}

double real_setting(const Settings& settings, const std::string& key) {
  constexpr double most = std::numeric_limits<double>::max();
  return parse_real(settings.at(key), key, -most, most);
}

}  // namespace foretile
