// SPDX-License-Identifier: BSD-3-Clause
// What a run of a program found, and how it is printed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile-run/run_arguments.hpp"
#include "executor/program/plain_program.hpp"
#include "executor/program/program_run.hpp"
#include "planner/tensor/fused_program.hpp"

namespace foretile {

/// A result, on rank 0.
struct ProgramResult {
  std::string name;
  std::size_t tensor = 0;
  std::vector<double> elements;
};

struct FinishedProgram {
  std::unique_ptr<ProgramRun> run;
  ProgramReport report;
  std::vector<ProgramResult> results;
  std::string digest;
  std::optional<double> error;  ///< largest_error() of any result
  std::optional<Prediction> predicted;
};

/// Those without indices, and all where `all` are wanted: they come to rank 0 as a whole. Collective.
std::vector<ProgramResult> gather_results(const ProgramRun& run, const FusedProgram& fused, bool all);

/// Of any result, beside a plain evaluation; NaN where one has NaN.
double largest_error(const std::vector<ProgramResult>& results, const Program& program,
                     const SpinOrbitals& orbitals, const ProgramNumbers& numbers);

/// As text or JSON.
void print_program_report(const RunArguments& arguments, const ProgramSizes& sizes, const FusedProgram& fused,
                          const FinishedProgram& done, int ranks);

}  // namespace foretile
