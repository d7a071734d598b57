// foretile simulate --what-if: what each resource is worth, measured by planning and simulating again.
#pragma once

#include <string>

#include "apps/foretile/case.hpp"
#include "scheduler/report/report.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

/// Products of a chunk that coarse simulations start together: an eighth of an average chunk, so that what
/// waits for a product does not wait for the whole chunk; at most 4096, since more would take memory.
int coarse_batch(const PlanSummary& summary);

/// Plans and simulates the case, coarse, and once more for each of improvements(), several at a time in
/// processes of their own. Call it before any simulation in this process. `options` give seed and plan order;
/// trace and batch are not used. Throws WorkError when the unchanged machine cannot be simulated.
WhatIf what_if(const Case& the_case, const PlannedWork& work, const SimulationOptions& options,
               ProgressLine& line);

/// A table, best first, and what was not feasible.
std::string what_if_text(const WhatIf& what_if);

}  // namespace foretile
