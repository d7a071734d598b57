// Numbers from the text of a setting, with one clear error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/settings.hpp"

namespace foretile {

/// The setting as a whole number in [low, high]. Throws InputError that names the key; the key must exist.
std::int64_t integer_setting(const Settings& settings, const std::string& key, std::int64_t low,
                             std::int64_t high);

/// The same, or nothing for "auto".
std::optional<std::int64_t> integer_or_auto(const Settings& settings, const std::string& key,
                                            std::int64_t low, std::int64_t high);

/// The setting as a finite number in [low, high].
double real_setting(const Settings& settings, const std::string& key, double low, double high);

}  // namespace foretile
