// SPDX-License-Identifier: BSD-3-Clause
// The plan of a program as it is stored and exchanged: what it was made from and all that was decided.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/program/program_plan.hpp"
#include "planner/stored_machine.hpp"

namespace foretile {

/// The content of a plan file of a program (docs/commands.md). Plans are rebuilt from it, the same
/// everywhere: nothing is compared or chosen again.
struct ProgramFile : StoredMachine {
  std::string name;  ///< of the program: its file
  std::string text;  ///< as parse_program() takes it
  ProgramSizes sizes;
  ProgramMode mode = ProgramMode::levels;
  Settings parameters;                 ///< of all terms
  std::vector<std::string> on_demand;  ///< tensors that are generated on demand
  ProgramDistribution distribution;    ///< without them
  std::int64_t gemms = 0;
  std::string plan_digest;  ///< program_digest(): to notice a rebuild that differs
  std::optional<Prediction> predicted;
};

/// A program with its plan.
struct RebuiltProgram {
  Machine machine;
  std::unique_ptr<FusedProgram> program;
  ProgramPlan plan;
};

/// Whether the file at `path` is JSON with the plan of a program. Reads it; false where it cannot be read.
bool is_program_plan(const std::string& path);

ProgramFile make_program_file(const std::string& name, const ProgramSizes& sizes, const MachineSize& size,
                              const Machine& machine, const FusedProgram& program,
                              const ProgramPlan& planned);

/// Throws InputError as load_plan_file().
ProgramFile load_program_file(const std::filesystem::path& path);
ProgramFile program_file_from_json(const std::string& text, const std::string& source);
void save_program_file(const std::filesystem::path& path, const ProgramFile& file);
std::string program_file_json(const ProgramFile& file);

/// Plans and proves again. Throws InputError where the plan differs from the stored one.
RebuiltProgram rebuild(const ProgramFile& file);

}  // namespace foretile
