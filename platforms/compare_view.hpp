// A comparison of platforms as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "platforms/compare.hpp"

namespace foretile {

std::string comparison_text(const PlatformComparison& comparison);
nlohmann::json comparison_json(const PlatformComparison& comparison);

}  // namespace foretile
