// SPDX-License-Identifier: BSD-3-Clause
// `--set platform.KEY=VALUE`: changes to a platform file's table before it is read.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "platforms/keys.hpp"

namespace foretile {

/// Applies the settings in order. The table's own keys must have been checked. Throws InputError for a
/// setting that is not "platform.KEY=VALUE" with a known key; names near matches.
void apply_overrides(toml::table& table, const std::vector<std::string>& settings);

/// Puts the value of `key` under the name `leaf`, as the same text would be in a file, quotes left out.
void insert_value(toml::table& table, std::string_view leaf, const PlatformKey& key, const std::string& text);

/// Names of all keys as overrides write them, "platform.nodes" and so on.
std::vector<std::string> override_names();

}  // namespace foretile
