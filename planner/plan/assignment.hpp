// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who worked on which block where devices of a rank take them while they run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"

namespace foretile {

/// By device, the numbers of the blocks that it took, in order. Blocks of a rank are numbered as the plan
/// lists them: those of device 0, then those of device 1, ...
using RankAssignment = std::vector<std::vector<int>>;

/// Who took which block in a run with open pools.
struct Assignment {
  std::string plan;  ///< digest of the plan with its open pools (planner/plan/plan_digest.hpp)
  std::vector<RankAssignment> ranks;  ///< by rank
};

/// The plan in which each device works on the blocks that it took: Pool::taken. Throws InputError, which
/// begins with `where`, for a plan without open pools or another one than the assignment's, and where an
/// assignment does not name each block once.
Plan assigned_plan(const Plan& plan, const Assignment& assignment, const std::string& where);

/// Whole or not at all.
void save_assignment(const std::filesystem::path& path, const Assignment& assignment);
/// Throws InputError that names the file and the key.
Assignment load_assignment(const std::filesystem::path& path);

/// Throws InputError, which begins with `where`, unless the plan has open pools.
void require_open_pool(const PlanFrame& frame, const std::string& where);

}  // namespace foretile
