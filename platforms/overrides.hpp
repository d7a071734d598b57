// `--set platform.KEY=VALUE`: changes to a platform file's table before it is read.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace foretile {

/// Applies the settings in order. The table's own keys must have been checked. Throws InputError for a
/// setting that is not "platform.KEY=VALUE" with a known key; names near matches.
void apply_overrides(toml::table& table, const std::vector<std::string>& settings);

/// Names of all keys as overrides write them, "platform.nodes" and so on.
std::vector<std::string> override_names();

}  // namespace foretile
