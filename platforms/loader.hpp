// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading platform files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/keys.hpp"
#include "platforms/platform.hpp"

namespace foretile {

/// Loads a name (find_platform_file() in list.hpp), `here` (this machine; see here.hpp) or a path. `settings`
/// are "platform.KEY=VALUE" overrides in the file's own keys, for example "platform.nvlink.bandwidth=100e9".
/// An estimate of `here` has `cores`, or those that this process may use. Throws InputError with file, line
/// and key for unknown keys, wrong units and impossible values.
Platform load_platform(const std::string& name_or_path, const std::vector<std::string>& settings = {},
                       std::optional<int> cores = {});

/// The same from text, as stored in a plan; `source` is for messages.
Platform parse_platform(const std::string& toml, const std::string& source,
                        const std::vector<std::string>& settings = {});

/// The one spelling of a key's value: of "16 GB" and "16e9" "16000000000". Throws InputError, which begins
/// with `where`, for a text that the key cannot have, whatever the platform is.
std::string spell_platform_value(const PlatformKey& key, const std::string& text, const std::string& where);

}  // namespace foretile
