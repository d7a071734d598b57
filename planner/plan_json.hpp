// The text of a plan file.
#pragma once

#include <string>

#include "planner/plan_file.hpp"

namespace foretile {

/// Indented JSON.
std::string plan_file_json(const PlanFile& file);

/// Checks every key, type, range and digest. Throws InputError that names `source` and the key.
PlanFile plan_file_from_json(const std::string& text, const std::string& source);

}  // namespace foretile
