// SPDX-License-Identifier: BSD-3-Clause
// foretile simulate --what-if: what each resource is worth, measured by planning and simulating again.
#pragma once

#include <string>

#include "apps/foretile/case.hpp"
#include "scheduler/report/report.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

/// Plans and simulates the case, coarse, and once more for each of improvements(), several at a time in
/// processes of their own. Call it before any simulation in this process. `options` give seed and plan order;
/// trace and groups are not used. Throws WorkError when the unchanged machine cannot be simulated.
WhatIf what_if(const Case& the_case, const PlannedWork& work, const SimulationOptions& options,
               ProgressLine& line);

/// A table, best first, and what was not feasible.
std::string what_if_text(const WhatIf& what_if);

}  // namespace foretile
