// SPDX-License-Identifier: BSD-3-Clause
// foretile plan PROGRAM.txt and foretile simulate PROGRAM.txt: a program on a machine.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "apps/foretile/molecule_sizes.hpp"
#include "apps/program_options.hpp"
#include "planner/program/choose_plan.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "scheduler/report/report.hpp"
#include "scheduler/trace.hpp"
#include "simulator/engine_choice.hpp"

namespace foretile {

/// Of a program, beside what all cases have.
struct ProgramArguments : ProgramOptions {
  ProgramSizes sizes = {};                    ///< 0: not given
  std::string trace = {};                     ///< of a simulation: file to write
  std::string output = {};                    ///< plan file to write; empty: none
  std::optional<MoleculeCase> molecule = {};  ///< from which sizes were taken
};

/// Whether it is a program, FILE.txt, or a plan file of one.
bool is_program(const std::string& path);

/// Throws InputError where a program lacks a size, and where what is no program has one.
void check_sizes(const std::string& problem, const ProgramSizes& sizes, bool tile_needed = true);
/// The same of all options of programs. `--tile` may be missing: an error of planning then names a size.
void check_program_options(const std::string& problem, const ProgramSizes& sizes, const ProgramOptions& of);

/// Options of a command that a program does not take: throws InputError for the first that was given.
void refuse_for_programs(const std::string& program, const GivenOptions& given);

/// The machine of a case of a program; warns of what of it has no effect.
Machine program_machine(const CaseArguments& arguments);

/// How fast slices of tensors are generated, which a platform can only guess: it depends on the tensors.
std::string generation_rate_text(const Platform& platform);

/// Plans and proves it; prints its steps, and the memory that they need.
void plan_program_case(const CaseArguments& arguments, const ProgramArguments& of);

/// How a program's plan is simulated.
struct ProgramSimulation {
  std::uint64_t seed = 1;  ///< of the noise
  int seeds = 0;           ///< that are simulated from `seed` on, for a band; 0: that one alone
  EngineChoice engine = EngineChoice::automatic;  ///< SimGrid where it is asked for, else the fluid engine
  bool coarse = false;                            ///< coarse_groups()
  bool what_if = false;                           ///< also what each resource twice as good saves
};

/// The same, and simulates it.
void simulate_program_case(const CaseArguments& arguments, const ProgramArguments& of,
                           const ProgramSimulation& how);

/// Gives what operations are recorded in: of a simulation that takes about so many seconds.
using MakeSink = std::function<TraceSink&(double expected_s)>;

/// A program that was simulated for a page.
struct TracedProgram {
  Machine machine;
  Report report;
  std::string digest;           ///< of the plan
  nlohmann::ordered_json json;  ///< as `foretile simulate --json` prints it
};

/// Plans and simulates it.
TracedProgram trace_program_case(const CaseArguments& arguments, const ProgramArguments& of,
                                 const MakeSink& sink, ProgressLine& line);

}  // namespace foretile
