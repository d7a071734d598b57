// SPDX-License-Identifier: BSD-3-Clause
// What a trace is of.
#pragma once

#include <string>

#include "planner/plan_work.hpp"

namespace foretile {

/// So that a report page can say what the operations of a trace file belong to.
struct TraceSubject {
  std::string source = "simulated";  ///< or "measured"
  std::string problem = {};
  std::string platform = {};
  std::string strategy = {};
  std::string digest = {};  ///< of the plan; empty: there is none
  int ranks = 1, ranks_per_node = 1, devices_per_rank = 1;
  double makespan_s = 0;
};

/// Of a plan that was simulated or run.
TraceSubject subject_of(const PlannedWork& work, const std::string& problem, const std::string& source,
                        double makespan_s);

}  // namespace foretile
