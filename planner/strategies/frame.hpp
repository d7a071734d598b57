// SPDX-License-Identifier: BSD-3-Clause
// What the plans of all strategies have in common before any rank is planned.
#pragma once

#include <string_view>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/machine.hpp"

namespace foretile {

inline constexpr int kMostAhead = 64;  ///< most chunks of a lookahead

/// Parameters that every strategy knows in the same sense: message_bytes, copy_batch_bytes, store, batch, and
/// those of ready_order.hpp.
std::vector<ParameterInfo> common_parameters();

/// Name, parameters, memory budgets, copy_batch_bytes, batch, and a grid of p x floor(ranks / p).
PlanFrame common_frame(std::string_view strategy, const Machine& machine, const Settings& settings, int p);

/// The setting message_bytes: a size as platform files have them ("16 MB"), or a number of bytes.
std::int64_t message_bytes(const Settings& settings);

/// staging_fraction, of the strategies that generate B.
ParameterInfo staging_parameter();

/// PlanFrame::staging_bytes: the setting staging_fraction of the frame's host budget, no more than the
/// devices of a rank hold.
std::int64_t staging_bytes(const PlanFrame& frame, const Machine& machine, const Settings& settings);

/// Distributes 0, 1, 2, ... `count` - 1 to `owners` in turn (2D-cyclic distribution along one dimension).
std::vector<int> distribute_cyclic(std::int32_t count, int owners);

/// Of the setting tree: binomial, chain, by_node or scatter.
Tree tree_setting(const Settings& settings);

}  // namespace foretile
