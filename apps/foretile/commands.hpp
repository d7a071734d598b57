// SPDX-License-Identifier: BSD-3-Clause
// The commands of `foretile`, one file each. Every function adds one command and what it does when chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace foretile {

void add_problem_command(CLI::App& app);
void add_show_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_platform_command(CLI::App& app);
void add_plan_command(CLI::App& app);
void add_simulate_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_tune_command(CLI::App& app);

}  // namespace foretile
