// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a plan with steps went.
#pragma once

#include <span>
#include <vector>

#include "scheduler/statistics.hpp"

namespace foretile {

/// Seconds; of a rank, or means over several.
struct ProgramTimes {
  double products_s = 0;                 ///< with a product under way, of a device
  double tasks_s = 0;                    ///< with a permutation, copy or addition under way
  double send_s = 0;                     ///< with a message on its way out
  std::vector<double> step_ends_s = {};  ///< by step: when the last of these ranks was through with it
};

/// At least one rank.
ProgramTimes program_times(std::span<const RankStatistics> ranks);

}  // namespace foretile
