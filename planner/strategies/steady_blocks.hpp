// SPDX-License-Identifier: BSD-3-Clause
// Plans whose tiles of C are finished one after another.
#pragma once

#include <optional>

#include "base/settings.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Where the plan computes C in a few blocks, whose tiles are finished together: the settings of the same
/// work in 16 blocks for each device, or as many as it has tiles, with the same owners and chunks as deep, so
/// that C gets the same bits. Nothing where there are enough blocks, and where the strategy has no block
/// sizes.
std::optional<Settings> steady_settings(const Contraction& contraction, const Machine& machine,
                                        const PlanFrame& plan);

}  // namespace foretile
