// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A plan as it is stored and exchanged: what it was made from, not the plan itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/settings.hpp"
#include "planner/plan_work.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "planner/stored_machine.hpp"

namespace foretile {

/// The content of a plan file (docs/commands.md). Plans are rebuilt from it, the same everywhere.
struct PlanFile : StoredMachine {
  Problem problem;                      ///< what is multiplied
  std::int64_t gemms = 0;               ///< this and the next two: to notice a rebuild that differs
  std::int64_t blocks = 0;              ///< blocks of all devices
  std::int64_t chunks = 0;              ///< chunks of all blocks
  Settings parameters;                  ///< every one with its value, and "strategy"
  std::optional<Prediction> predicted;  ///< by a simulation; nothing: none was made
};

/// The file of a plan, without a prediction.
PlanFile make_plan_file(const Problem& problem, const MachineSize& size, const PlannedWork& work);

/// Throws InputError that names file and key: no JSON, another version, missing, unknown, wrong or
/// repeated keys, or a content that does not match its digest, because the file was edited.
PlanFile load_plan_file(const std::filesystem::path& path);

/// The same from text.
PlanFile parse_plan_file(const std::string& json, const std::string& source);

/// Writes the whole file or nothing. Throws WorkError, or InputError for a path that cannot be.
void save_plan_file(const std::filesystem::path& path, const PlanFile& file);

/// The part of a rebuild beside stored_machine().
Contraction stored_contraction(const PlanFile& file);

/// Plans and verifies again. Throws InputError when the machine or the counts differ from the stored ones:
/// another version of foretile made the file. `progress` as for plan_work().
PlannedWork rebuild(const PlanFile& file, const CountFunction& progress = {});

/// As stored_text().
std::string plan_file_json(const PlanFile& file);

/// Checks the digest and every key, type and range. Throws InputError that names `source` and the key.
PlanFile plan_file_from_json(const std::string& text, const std::string& source);

}  // namespace foretile
