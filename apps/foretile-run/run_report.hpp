// SPDX-License-Identifier: BSD-3-Clause
// What a run of a problem found, and how it is printed.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/foretile-run/run_arguments.hpp"
#include "apps/foretile-run/run_files.hpp"
#include "apps/foretile-run/run_probe.hpp"
#include "executor/check/check.hpp"
#include "executor/checkpoint.hpp"
#include "executor/gpu/choose_gpus.hpp"
#include "executor/mpi/session.hpp"
#include "executor/run.hpp"
#include "planner/plan_file.hpp"
#include "scheduler/report/report.hpp"

namespace foretile {

struct FinishedRun {
  RunKind kind = RunKind::plan;
  Probes probes;
  PlanFile file;
  std::optional<PlannedWork> work;
  std::string plan_with_pool;  ///< digest, before an assignment
  std::string text_digest;     ///< plan_text_digest()
  bool cuda = false;
  std::unique_ptr<Gpus> gpus;  ///< before the result, whose host memory is theirs
  RunResult result;
  std::string digest;               ///< of all bits of C, whatever rank holds them
  std::int64_t peak_rss_bytes = 0;  ///< of the rank with most
  std::optional<CheckResult> check;
  std::optional<RunFiles> files;  ///< after the work that it refers to
  std::optional<Checkpoint> checkpoint;

  /// What this run computes: without tiles that are finished already.
  const PlannedWork& now() const { return checkpoint ? checkpoint->work() : *work; }
  bool resumed() const { return checkpoint && checkpoint->finished_before() > 0; }
};

/// On rank 0: the strategy and its parameters, where they were chosen now. Not with --json, whose report has
/// them.
void print_choice(const RunArguments& arguments, const MpiSession& session, const FinishedRun& done);

/// What a run took, as report and as JSON.
struct RunSummary {
  Report report;
  nlohmann::ordered_json json;
};

/// Gathers statistics; rank 0 prints text or JSON, and gets the summary. Collective.
std::optional<RunSummary> report_run(const RunArguments& arguments, const MpiSession& session,
                                     const FinishedRun& done);

}  // namespace foretile
