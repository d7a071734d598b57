// SPDX-License-Identifier: BSD-3-Clause
// Plans of a program's levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "planner/plan_work.hpp"
#include "planner/program/fused_program.hpp"
#include "planner/program/level_moves.hpp"
#include "planner/program/program_level.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// What is too large for the ranks' memory.
class DoesNotFit : public InputError {
 public:
  explicit DoesNotFit(const InputError& error) : InputError(error) {}
};

struct LevelPlan {
  int number = 0;  ///< of the level, from 1
  int part = 1;    ///< where the level does not fit together or has several strategies: which part, from 1,
  int parts = 1;   ///< of how many
  ProgramLevel level;
  Settings settings;                ///< of the plan
  std::optional<PlannedWork> work;  ///< of the products; proven
  std::vector<LevelMoves> moves;    ///< by rank

  /// Of the rank with most: its blocks, received blocks, tiles of C, and what the plan proves.
  std::int64_t peak_host_bytes() const;
  /// Of the rank with most.
  std::int64_t blocks_bytes() const;
};

/// Plans each level with the same parameters, and proves each plan. A level whose terms do not fit the ranks'
/// memory together is computed in parts, one after the other; a term that does not fit alone in slices, some
/// rows or columns of C each. Terms with strategies of their own (ProgramDistribution) are parts, too: those
/// of a level with the same strategy together. Without a strategy among the settings: settings_for_terms().
/// Throws InputError for wrong settings, and DoesNotFit where a 64th of a term, or one tile of its C, does
/// not fit or has no plan.
std::vector<LevelPlan> plan_program(const FusedProgram& program, const ProgramDistribution& distribution,
                                    const Machine& machine, const Settings& settings);
/// The same of one level, from 1.
std::vector<LevelPlan> plan_level(const FusedProgram& program, const ProgramDistribution& distribution,
                                  const Machine& machine, const Settings& settings, int level);
/// The same of steps of a flow (planner/program/term_steps.hpp), in parts: those of several terms so small
/// that `at_once` > 1 of their size fit.
std::vector<LevelPlan> plan_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                                  const Machine& machine, const Settings& settings, int at_once);

}  // namespace foretile
