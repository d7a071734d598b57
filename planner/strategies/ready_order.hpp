// SPDX-License-Identifier: BSD-3-Clause
// Blocks in the order in which a runtime that follows data, not a plan, may take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/settings.hpp"
#include "planner/plan/plan.hpp"
#include "planner/strategies/parameter.hpp"

namespace foretile {

/// order_window and order_seed: parameters of every strategy.
std::vector<ParameterInfo> ready_order_parameters();

/// What a device works on next is one of the first `window` blocks that it has left, each as likely as
/// another; 1: plan order. Stands for tasks that become ready in an order that is not known beforehand, as
/// in PaRSEC. The same seed gives the same order; each device of a plan draws from a seed of its own. Window
/// >= 1.
void shuffle_blocks(std::vector<Block>& blocks, std::size_t window, std::uint64_t seed);

/// The blocks of each device, as the two parameters say. Throws InputError for a window where barriers order
/// the blocks of devices.
void set_ready_order(Plan& plan, const Settings& parameters);

}  // namespace foretile
