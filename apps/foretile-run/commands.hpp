// SPDX-License-Identifier: BSD-3-Clause
// The commands of foretile-run.
#pragma once

#include <CLI/CLI.hpp>

#include "executor/mpi/session.hpp"

namespace foretile {

/// `foretile-run PLAN.json`, `PROBLEM` and `PROGRAM.txt`, the program's own purpose.
void add_run(CLI::App& app);
/// `foretile-run program PROGRAM.txt`, what `foretile-run PROGRAM.txt` was called before.
void add_program_command(CLI::App& app);
/// `foretile-run calibrate`.
void add_calibrate_command(CLI::App& app);
/// `foretile-run gpus`.
void add_gpus_command(CLI::App& app);

}  // namespace foretile
