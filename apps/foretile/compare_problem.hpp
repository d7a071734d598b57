// SPDX-License-Identifier: BSD-3-Clause
// foretile platform compare A B ... --problem P: one problem on several machines, tuned on each.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/foretile/tune_arguments.hpp"

namespace foretile {

struct CompareProblemArguments {
  std::vector<std::string> platforms;
  TuneArguments tune;     ///< of each of them
  std::string csv, plot;  ///< files to write; empty: none
  /// Options that need --problem, and whether they were given.
  GivenOptions given() const;
};

/// All options but --json.
void add_compare_problem_options(CLI::App& command, CompareProblemArguments& arguments);

/// Tunes, prints and writes. A machine that cannot run the problem on some number of nodes has the reason
/// there. Throws InputError, WorkError where no machine can run it, and CLI::RuntimeError after an interrupt.
void compare_problem(const CompareProblemArguments& arguments);

}  // namespace foretile
