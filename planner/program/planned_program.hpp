// SPDX-License-Identifier: BSD-3-Clause
// Plans a program as its user asks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/program/flow_plan.hpp"
#include "planner/program/program_plan.hpp"
#include "planner/program/term_strategies.hpp"

namespace foretile {

enum class ProgramMode : std::uint8_t {
  levels,  ///< all ranks wait at the end of each
  flow     ///< tiles go on to the next term when they are finished; on cores
};

enum class LayoutChoice : std::uint8_t {
  automatic,  ///< choose_layout(), so that less is sent
  in_turn     ///< blocks are dealt in turn, and a tile of C is computed by one rank
};

struct ProgramPlanOptions {
  ProgramMode mode = ProgramMode::levels;
  LayoutChoice layout = LayoutChoice::automatic;
  std::vector<std::string> made = {};  ///< of plan_with_made()
  LevelSeconds seconds = {};           ///< to compare strategies by; without: least_seconds()
};

/// All proven.
struct PlannedProgram {
  std::vector<LevelPlan> levels = {};  ///< of ProgramMode::levels
  std::optional<FlowPlan> flow = {};   ///< of ProgramMode::flow
  Settings settings = {};              ///< of all terms; nothing is compared for them

  std::int64_t peak_host_bytes() const;
  std::int64_t gemms() const;  ///< products of tiles
};

/// 64-bit FNV-1a of all that the plans do and of the program's layout, as 16 hexadecimal digits.
std::string program_digest(const PlannedProgram& planned, const FusedProgram& program);

/// The sums of terms are cut by choose_sum_pieces(), without regard to memory; then all is planned, and the
/// owners of blocks are chosen by these plans (choose_owners()). Lays the program out so, with the strategy
/// of the settings for all terms. Throws as plan_program() and plan_steps(), and leaves the sums cut then.
void choose_layout(FusedProgram& program, const Machine& machine, const Settings& settings, ProgramMode mode);

/// With the layout that the program has, and what is made there: nothing is chosen. Throws as plan_program()
/// and plan_flow().
PlannedProgram plan_laid_out(const FusedProgram& program, const Machine& machine, const Settings& settings,
                             ProgramMode mode);

/// Chooses what is made and the layout, where the options leave that open, and plans. Where a chosen layout
/// does not fit blocks are dealt in turn and sums are whole, before more tensors are made. The settings
/// "strategy.TERM" name strategies of terms; with strategy=auto those of others are chosen
/// (choose_strategies()), with the chosen layout and with blocks in turn, of which that stays with which
/// levels take less; but not where tiles flow. Throws InputError as plan_with_made(),
/// take_named_strategies(), plan_program() and plan_flow(), and for named strategies where tiles flow.
PlannedProgram plan_program_as(FusedProgram& program, const Machine& machine, const Settings& settings,
                               const ProgramPlanOptions& options);

}  // namespace foretile
