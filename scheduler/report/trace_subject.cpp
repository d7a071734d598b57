// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/trace_subject.hpp"

#include "planner/plan/plan_digest.hpp"

namespace foretile {

TraceSubject subject_of(const PlannedWork& work, const std::string& problem, const std::string& source,
                        double makespan_s) {
  const Machine& machine = work.machine;
  return {source,
          problem,
          machine.platform.name,
          work.plan.strategy,
          plan_digest(work.plan),
          machine.ranks,
          machine.ranks_per_node,
          machine.devices_per_rank,
          makespan_s};
}

}  // namespace foretile
