// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What plans take, for the planner's choices: by the fluid engine alone, so that every
/// program chooses alike.
#pragma once

#include "planner/plan_work.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

/// An eighth of an average chunk's products, so that what waits for a product does not wait for the whole
/// chunk; at most 4096, since more would take memory. An eighth of its loads, but not more than a 256th of a
/// device's: nothing else goes on while the first are under way.
CoarseGroups coarse_groups(const PlannedWork& work);

/// Products and messages: what a simulation in full takes time for.
std::int64_t operations_of(const PlannedWork& work);

/// How long a plan takes, by a coarse simulation; where many tiles of B are generated, several of them as
/// one, too. Noise, where the platform has any, is drawn with seed 1.
WorkSeconds simulated_seconds();

}  // namespace foretile
