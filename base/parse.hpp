// SPDX-License-Identifier: BSD-3-Clause
// Numbers from text, with one clear error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/settings.hpp"

namespace foretile {

/// What stands for a value that the program chooses.
inline constexpr std::string_view kAuto = "auto";

/// The text as a whole number in [low, high]. Throws InputError, which begins with `where`.
std::int64_t parse_integer(std::string_view text, std::string_view where, std::int64_t low,
                           std::int64_t high);

/// The same, or nothing for "auto".
std::optional<std::int64_t> parse_auto_or_integer(std::string_view text, std::string_view where,
                                                  std::int64_t low, std::int64_t high);

/// The text as a finite number in [low, high].
double parse_real(std::string_view text, std::string_view where, double low, double high);

/// The setting as a whole number in [low, high]. Throws InputError that names the key; the key must exist.
std::int64_t integer_setting(const Settings& settings, const std::string& key, std::int64_t low = INT64_MIN,
                             std::int64_t high = INT64_MAX);

/// The same, or nothing for "auto".
std::optional<std::int64_t> integer_or_auto(const Settings& settings, const std::string& key,
                                            std::int64_t low = INT64_MIN, std::int64_t high = INT64_MAX);

/// The setting as a number. Throws InputError that names the key; the key must exist.
double real_setting(const Settings& settings, const std::string& key);

}  // namespace foretile
