// SPDX-License-Identifier: BSD-3-Clause
// What a run of a program of contractions is asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/options.hpp"
#include "executor/gpu/choose_gpus.hpp"
#include "executor/mpi/session.hpp"
#include "planner/program/spin_tiles.hpp"
#include "planner/stored_machine.hpp"

namespace foretile {

struct ProgramRunArguments {
  std::string program;  ///< FILE.txt, or a plan file of a program
  std::string input, output;
  bool overwrite = false;
  ProgramSizes sizes;  ///< 0: not given
  std::uint64_t seed = 1;
  std::string platform;  ///< empty: not given, here
  GpuChoice gpu = GpuChoice::automatic;
  bool verify = false;
  std::string mode;  ///< empty: not given, levels
  std::vector<std::string> made;
  std::string distribution;
  Options options;
};

/// --input and --seed.
void add_input_options(CLI::App& command, ProgramRunArguments& arguments, const std::string& of = "");

/// Throws InputError where the plan is for another number of ranks than the job's.
void require_ranks(const StoredMachine& file, int ranks);

/// Plans where there is no plan file, and runs. `command`: for what all ranks must be started with. `check`
/// throws InputError where the command has options that runs of programs do not have.
void execute_program(const CLI::App& command, const ProgramRunArguments& arguments, const MpiSession& session,
                     const std::function<void()>& check = {});

}  // namespace foretile
