// SPDX-License-Identifier: BSD-3-Clause
// A plan as it is stored and exchanged: what it was made from, not the plan itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/settings.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/problem.hpp"
#include "planner/strategies/compare.hpp"
#include "planner/verify/verify.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// What a rehearsal of the plan said.
struct Prediction {
  double makespan_s = 0;
  double flops_per_s = 0;
};

/// The content of a plan file (docs/commands.md). Plans are rebuilt from it, the same everywhere.
struct PlanFile {
  Problem problem;
  std::string platform_name;
  std::string platform_toml;  ///< after all --set
  MachineSize size;           ///< as the user gave it
  int ranks = 0;              ///< this and the next five: to notice a rebuild that differs
  int ranks_per_node = 0;
  int devices_per_rank = 0;
  std::int64_t gemms = 0;
  std::int64_t blocks = 0;
  std::int64_t chunks = 0;
  Settings parameters;  ///< every one with its value, and "strategy"
  std::optional<Prediction> predicted;
  std::string source;  ///< path for messages
};

/// A verified plan and all that it refers to.
struct PlannedWork {
  Contraction contraction;
  Machine machine;
  Plan plan;
  PlanSummary summary;
  std::vector<ComparedStrategy> compared = {};  ///< where the settings asked for that
};

/// What plan_work() tells of its progress: how many of these steps are done.
inline constexpr std::int64_t kPlanningSteps = 10'000;

/// How long a plan takes on a machine, or infinity, once it is known to take longer than `stop_s`.
using WorkSeconds = std::function<double(const Plan& plan, const Contraction& contraction,
                                         const Machine& machine, double stop_s)>;

/// Plans every rank, verifies. With strategy=auto, strategies are compared by `work_seconds`, or without it
/// by the bounds of their plans. Throws InputError.
PlannedWork plan_work(Contraction contraction, Machine machine, const Settings& settings,
                      const CountFunction& progress = {}, const WorkSeconds& work_seconds = {},
                      const PlanContext& context = {});

PlanFile make_plan_file(const Problem& problem, const MachineSize& size, const PlannedWork& work);

/// Throws InputError that names file and key: no JSON, another version, missing, unknown, wrong or
/// repeated keys, or a content that does not match its digest, because somebody edited the file.
PlanFile load_plan_file(const std::filesystem::path& path);

/// The same from text.
PlanFile parse_plan_file(const std::string& json, const std::string& source);

void save_plan_file(const std::filesystem::path& path, const PlanFile& file);

/// The parts of a rebuild, for a rank that plans itself alone.
Contraction stored_contraction(const PlanFile& file);
Platform stored_platform(const PlanFile& file);
Machine stored_machine(const PlanFile& file);

/// Plans and verifies again. Throws InputError when the machine or the counts differ from the stored ones:
/// another version of foretile made the file. `progress` as for plan_work().
PlannedWork rebuild(const PlanFile& file, const CountFunction& progress = {});

/// Indented JSON. The last key, "digest", is the FNV-1a digest (base/files.hpp) of everything else: of the
/// same JSON without that key, with sorted keys and without spaces.
std::string plan_file_json(const PlanFile& file);

/// Checks the digest and every key, type and range. Throws InputError that names `source` and the key.
PlanFile plan_file_from_json(const std::string& text, const std::string& source);

}  // namespace foretile
