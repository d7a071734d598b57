// SPDX-License-Identifier: BSD-3-Clause
// A comparison of platforms as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "platforms/compare.hpp"

namespace foretile {

/// One sentence where the two platforms have software costs of different sources; else empty.
std::string runtime_warning(const PlatformComparison& comparison);

std::string comparison_text(const PlatformComparison& comparison);
nlohmann::json comparison_json(const PlatformComparison& comparison);

}  // namespace foretile
