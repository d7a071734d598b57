// SPDX-License-Identifier: BSD-3-Clause
// The page of --report: a run beside its simulation.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/foretile-run/run_report.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// What rank 0 knows when it writes the page.
struct RunPage {
  std::string path;
  std::string command;                    ///< that ran it
  const std::vector<TraceEvent>& events;  ///< of all ranks
  RunSummary summary;
};

/// Simulates the plan, too. On rank 0 alone.
void write_run_page(const RunPage& page, const FinishedRun& done);

}  // namespace foretile
