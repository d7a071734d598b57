// SPDX-License-Identifier: BSD-3-Clause
#include "apps/replay.hpp"

#include "planner/plan/assignment.hpp"
#include "planner/verify/verify.hpp"

namespace foretile {

void replay(const std::string& assignment, PlannedWork& work) {
  work.plan = assigned_plan(work.plan, load_assignment(assignment), assignment);
  work.summary = verify(work.plan, work.contraction);
}

}  // namespace foretile
