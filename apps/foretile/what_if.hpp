// SPDX-License-Identifier: BSD-3-Clause
// foretile simulate --what-if: what each resource is worth, measured by planning and simulating again.
#pragma once

#include <string>

#include "apps/foretile/case.hpp"
#include "scheduler/report/report.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

/// Plans and simulates the case, coarse, and once more for each of improvements(), several at a time in
/// processes of their own. Links that cap each other, so that none alone saves what they save together, are a
/// row of their own. The unchanged machine and the best rows are then simulated in full: three, and more as
/// long as a row's coarse saving and the largest difference seen between coarse and full could beat the best,
/// ten at most. Call it before any simulation in this process. `options` give seed and plan order; trace and
/// groups are not used. Throws WorkError when the unchanged machine cannot be simulated.
WhatIf what_if(const Case& the_case, const PlannedWork& work, const SimulationOptions& options,
               ProgressLine& line);

/// Both baselines, a table, best first, and what was not feasible.
std::string what_if_text(const WhatIf& what_if);

}  // namespace foretile
