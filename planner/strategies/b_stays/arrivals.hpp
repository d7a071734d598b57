// SPDX-License-Identifier: BSD-3-Clause
// When messages are expected.
#pragma once

#include <utility>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Tiles of a rank by increasing id, each with the seconds from the start until it is there.
using Arrivals = std::vector<std::pair<TileId, double>>;

/// Of the tiles that each rank receives, when all ranks do nothing but send: a message costs its sender, and
/// then its receiver, Runtime::message_overhead_s for each tile, one message after the other, and travels
/// alone between them. Ranks send as the scheduler does (scheduler/send_queue.hpp). `transfers` are
/// broadcasts of tiles of one matrix, by owner. O(n log n) for n messages.
std::vector<Arrivals> expected_arrivals(const std::vector<std::vector<Transfer>>& transfers,
                                        const Contraction& contraction, const Machine& machine);

}  // namespace foretile
