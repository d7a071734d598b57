// SPDX-License-Identifier: BSD-3-Clause
// The most bytes of broadcasts that a device holds for its rank.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/verify/messages.hpp"

namespace foretile {

/// By device of the rank: what has come to it (planner/plan/landing.hpp) at its worst moment, which is that
/// of worst_received() (planner/verify/host_memory.hpp).
std::vector<std::int64_t> worst_on_devices(const Plan& plan, const Messages& messages, Rank rank);

/// The most of all devices of all ranks. Throws InputError for a message that makes no sense.
std::int64_t most_on_a_device(const Plan& plan, const Contraction& contraction);

}  // namespace foretile
