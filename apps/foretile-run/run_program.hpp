// SPDX-License-Identifier: BSD-3-Clause
// A run of a program of contractions, planned now or before.
#pragma once

#include "apps/foretile-run/run_arguments.hpp"
#include "executor/mpi/session.hpp"

namespace foretile {

/// `kind` is RunKind::program_plan or RunKind::program. `command`: for what all ranks must be started with.
/// Collective.
void execute_program(const CLI::App& command, RunKind kind, const RunArguments& arguments,
                     const MpiSession& session);

}  // namespace foretile
