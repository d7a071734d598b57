// SPDX-License-Identifier: BSD-3-Clause
// foretile tune: the search for a problem on a machine of one size.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "apps/foretile/tune_arguments.hpp"
#include "apps/foretile/tune_conclusion.hpp"
#include "base/progress.hpp"

namespace foretile {

/// --o, --v, --tile and how a program is planned.
void add_tuned_program_options(CLI::App& command, TuneProgramArguments& program);

/// --budget, --count, --evaluation-limit and --workers.
void add_limit_options(CLI::App& command, TuneArguments& arguments);

/// Of the options; the budget begins now. Throws InputError.
TuneOptions tune_options(const TuneArguments& arguments);

/// Throws InputError where the goal is energy and the platform's power is not known.
void require_joules(Goal goal, const Platform& platform);

/// `known`: candidates that were good on other numbers of nodes. Throws InputError.
Tuning tune_machine(const TuneArguments& arguments, const Case& the_case, const MachineSize& size,
                    TuneOptions options, const std::vector<Candidate>& known, ProgressLine& line);

}  // namespace foretile
