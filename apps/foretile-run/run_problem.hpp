// SPDX-License-Identifier: BSD-3-Clause
// A run of a problem, planned now or before.
#pragma once

#include "apps/foretile-run/run_arguments.hpp"
#include "executor/mpi/session.hpp"

namespace foretile {

/// `kind` is RunKind::plan or RunKind::problem. `app`: for what all ranks must be started with. Collective.
void execute_problem(const CLI::App& app, RunKind kind, const RunArguments& arguments,
                     const MpiSession& session);

}  // namespace foretile
