// SPDX-License-Identifier: BSD-3-Clause
// A problem and its plan: of a plan file, or made for the ranks of this job.
#pragma once

#include <string>

#include "apps/foretile-run/run_arguments.hpp"
#include "base/progress.hpp"
#include "executor/mpi/session.hpp"
#include "planner/plan_file.hpp"

namespace foretile {

/// As load_problem(). Throws InputError that says what can be run, where this is nothing of that.
Problem problem_to_run(const std::string& path_or_name);

/// The platform that is planned for, as rank 0 has it: nodes may have different files of `here`.
struct PlatformOfJob {
  std::string toml;    ///< after all --set
  std::string source;  ///< for messages
};

/// Collective. Throws InputError as load_platform(), as agree() has it.
PlatformOfJob platform_of_job(const RunArguments& arguments, const MpiSession& session);

/// The plan file; of a problem what is known before it is planned: parameters are those that were set.
PlanFile file_to_run(RunKind kind, const RunArguments& arguments, int ranks);

/// Plans and verifies. `file` then is complete. Where strategies are compared, rank 0 does that alone, with
/// the cores and the memory of its node, and all others plan as it decided: so all have one plan, also where
/// their processors round differently. Throws InputError as rebuild() and plan_fastest(), as agree() has it.
/// Says before on stderr of rank 0 that it will take long. Collective.
PlannedWork work_to_run(RunKind kind, const RunArguments& arguments, const PlatformOfJob& platform,
                        PlanFile& file, const MpiSession& session, const CountFunction& progress);

/// Of the file's text; of a problem of that which `foretile plan -o` would store.
std::string plan_text_digest(RunKind kind, const RunArguments& arguments, const PlanFile& file);

}  // namespace foretile
