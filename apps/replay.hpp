// SPDX-License-Identifier: BSD-3-Clause
// Plans whose devices took blocks while they ran, repeated.
#pragma once

#include <string>

#include "planner/plan_file.hpp"

namespace foretile {

/// Gives each device the blocks that it took when the file was written, and proves the plan again. Throws
/// InputError as load_assignment() and assigned_plan().
void replay(const std::string& assignment, PlannedWork& work);

}  // namespace foretile
