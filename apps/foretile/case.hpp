// SPDX-License-Identifier: BSD-3-Clause
// The question that plan, simulate and tune ask: which problem, on which machine, with which parameters.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/options.hpp"
#include "base/progress.hpp"
#include "planner/plan_file.hpp"
#include "planner/problem/estimate.hpp"
#include "simulator/engine_choice.hpp"

namespace foretile {

struct CaseArguments {
  std::string problem;   ///< a problem file, an example or a plan file
  std::string platform;  ///< empty: the plan file's, else here
  MachineSize size;
  Options options;
};

struct Case {
  Problem problem;
  Platform platform;
  MachineSize size;
  Settings settings;
  std::optional<PlanFile> stored;         ///< when it is exactly a stored plan
  std::vector<std::string> guesses = {};  ///< keys of the platform whose figures are guesses
};

/// --engine, of simulations. `automatic` says what `auto` is where SimGrid is built.
void add_engine_option(CLI::App& command, EngineChoice& engine, const std::string& automatic);

/// load_platform(); a note on stderr says when the user's own file hides one that ships.
Platform named_platform(const std::string& name, const std::vector<std::string>& settings = {});

/// Says on stderr why predictions with the platform are to be doubted, if they are (platform_warnings()).
void warn_of_doubts(const Platform& platform);

/// On stderr, where a rank sends at least twice as fast from memory of GPUs, unless the user chose messages.
void note_faster_messages(const Platform& platform, const Options& options);

/// --platform, --nodes, --ranks, --gpus, --set and --json. `nodes`, if any, gets --nodes as a text.
void add_machine_options(CLI::App& command, CaseArguments& arguments, std::string* nodes = nullptr);

/// Loads all; what the command line says holds against the plan file. Warns on stderr when the platform is a
/// guess. Throws InputError.
Case load_case(const CaseArguments& arguments);

/// Warns on stderr when planning will take long.
void warn_of_long_planning(const PlanningEstimate& estimate);

/// Plans and verifies; a stored plan must come out as it was. Warns beforehand when that will take long, and
/// shows the progress.
PlannedWork plan_case(const Case& the_case, ProgressLine& line);

}  // namespace foretile
