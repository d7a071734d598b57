// SPDX-License-Identifier: BSD-3-Clause
// Plans of a program's steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/missing_memory.hpp"
#include "base/settings.hpp"
#include "planner/plan_work.hpp"
#include "planner/program/program_step.hpp"
#include "planner/tensor/fused_program.hpp"
#include "platforms/machine.hpp"

namespace foretile {

enum class ProgramMode : std::uint8_t {
  levels,  ///< steps are levels: all ranks wait at the end of each
  flow     ///< tiles go on to the next step when they are finished
};

/// "levels", "flow"
std::string_view name_of(ProgramMode mode);
/// "level", "step"
std::string_view name_of_step(ProgramMode mode);

/// Host memory of the rank with most.
struct HostBytes {
  std::int64_t tensors = 0;  ///< of tensors alone
  std::int64_t all = 0;
};

struct StepPlan {
  int number = 0;  ///< of the terms that are planned together (terms_of_steps()), from 1
  int part = 1;    ///< where they do not fit together or have several strategies: which part, from 1,
  int parts = 1;   ///< of how many
  ProgramStep step;
  Settings settings;                ///< of the plan
  std::optional<PlannedWork> work;  ///< of the products; proven
  HostBytes bytes;                  ///< while it runs; where tiles flow, room for two of its size
};

/// Whether it has a product with tiles.
bool has_products(const FusedProgram& program);

/// Terms that are planned together, in order: those of a level, or of a step of a flow (term_steps.hpp).
std::vector<std::vector<std::size_t>> terms_of_steps(const FusedProgram& program, ProgramMode mode);

/// Plans all steps with the same parameters, and proves each plan. Terms that do not fit the ranks' memory
/// together are computed part by part, one after the other (where tiles flow, parts so small that two of
/// their size fit); a term that does not fit alone in slices, some rows or columns of C each. Terms with
/// strategies of their own (ProgramDistribution) are parts, too: those of a step with the same strategy
/// together. Without a strategy among the settings: settings_for_terms(). Throws InputError for wrong
/// settings, and DoesNotFit where a 64th of a term, or one tile of its C, does not fit or has no plan.
std::vector<StepPlan> plan_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                                 const Machine& machine, const Settings& settings, ProgramMode mode);
/// The same of one of them, from 1.
std::vector<StepPlan> plan_step(const FusedProgram& program, const ProgramDistribution& distribution,
                                const Machine& machine, const Settings& settings, ProgramMode mode,
                                int number);

}  // namespace foretile
