// SPDX-License-Identifier: BSD-3-Clause
// foretile tune of a program: how many nodes, which tiles, which mode.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/tune_arguments.hpp"
#include "base/progress.hpp"
#include "tuner/by_nodes.hpp"
#include "tuner/program_search.hpp"

namespace foretile {

/// Tries, prints, and stores the plan that the goal asks for. `options` has budget, limits and history.
/// Throws InputError, WorkError where nothing fits, and CLI::RuntimeError after an interrupt.
void tune_program_case(const TuneArguments& arguments, TuneOptions options, Goal goal);

/// The plan taken on one number of nodes, or why there is none.
struct ProgramOnNodes {
  int nodes = 1;
  std::optional<ProgramTrial> taken;
  std::string message;
};

/// The fastest plan on each number of nodes, without other numbers between them; the numbers share the
/// budget. An interrupt ends it; then `signal` is not 0.
std::vector<ProgramOnNodes> tune_program_on(const TuneArguments& arguments, const TuneOptions& options,
                                            const std::vector<int>& numbers, ProgressLine& line, int& signal);

}  // namespace foretile
