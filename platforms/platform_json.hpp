// A platform as JSON, for scripts.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "platforms/platform.hpp"

namespace foretile {

/// {"name", "source", "estimated", "devices_per_node", "cores_per_node", "figures": {KEY: value}} with the
/// keys of the file and values in SI units.
nlohmann::json platform_summary_json(const Platform& platform);

}  // namespace foretile
