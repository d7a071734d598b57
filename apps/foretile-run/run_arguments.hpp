// SPDX-License-Identifier: BSD-3-Clause
// What a run is asked for: of a plan, a problem or a program.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile-run/same_start.hpp"
#include "apps/options.hpp"
#include "apps/program_options.hpp"
#include "executor/gpu/choose_gpus.hpp"
#include "planner/stored_machine.hpp"
#include "planner/tensor/spin_tiles.hpp"

namespace foretile {

/// The name of the positional option.
inline constexpr const char* kWorkOption = "work";

enum class RunKind : std::uint8_t { plan, problem, program_plan, program };

struct RunArguments {
  std::string what;      ///< a plan file, a problem or a program
  std::string platform;  ///< that is planned for; empty: not given, here
  GpuChoice gpu = GpuChoice::automatic;
  std::string output;      ///< where C, or results of a program, go; empty: nowhere
  bool overwrite = false;  ///< a dataset that is there
  bool verify = false;
  Options options;

  // Of problems and their plans.
  std::string trace;
  std::string report;          ///< page to write; empty: none
  std::string checkpoint;      ///< folder of finished tiles; empty: none
  std::string assignment;      ///< file to replay; empty: none
  std::string assignment_out;  ///< file to write; empty: none
  bool check_finite = false;
  bool copies = false;
  bool plan_order = false;
  bool no_bind = false;

  // Of programs.
  ProgramSizes sizes;  ///< 0: not given
  ProgramOptions program;
  std::string input;
  std::optional<std::uint64_t> seed;

  std::string platform_or_here() const { return platform.empty() ? "here" : platform; }
};

/// By the file's ending: .json is a plan, .txt a program, all else a problem. Reads a plan.
RunKind kind_of(const std::string& what);

/// Throws InputError for the first option that was given and that such a run does not have.
void refuse_other_options(RunKind kind, const RunArguments& arguments);

/// What is the same on all ranks that run the same: files by their texts, so that copies of them may be at
/// different places. Throws InputError for what is neither a plan nor a problem nor a program.
StartFacts start_facts(const CLI::App& app, RunKind kind, const RunArguments& arguments);

/// Throws InputError where the plan is for another number of ranks than the job's.
void require_ranks(const StoredMachine& file, int ranks);

}  // namespace foretile
