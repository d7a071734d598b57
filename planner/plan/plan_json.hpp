// The text of a plan file.
#pragma once

#include <string>

#include "planner/plan/plan_file.hpp"

namespace foretile {

/// Indented JSON. The last key, "digest", is the FNV-1a digest (base/files.hpp) of everything else: of the
/// same JSON without that key, with sorted keys and without spaces.
std::string plan_file_json(const PlanFile& file);

/// Checks the digest and every key, type and range. Throws InputError that names `source` and the key.
PlanFile plan_file_from_json(const std::string& text, const std::string& source);

}  // namespace foretile
