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
  flow     ///< tiles go on to the next term when they are finished
};

enum class DistributionChoice : std::uint8_t {
  automatic,   ///< choose_distribution(), so that less is sent
  round_robin  ///< of blocks, and a tile of C is computed by one rank
};

struct ProgramPlanOptions {
  ProgramMode mode = ProgramMode::levels;
  DistributionChoice distribution = DistributionChoice::automatic;
  std::vector<std::string> made = {};  ///< of plan_with_made()
  LevelSeconds seconds = {};           ///< to compare strategies by; without: least_seconds()
};

/// All proven; plain data.
struct PlannedProgram {
  ProgramDistribution distribution = {};
  std::vector<LevelPlan> levels = {};  ///< of ProgramMode::levels
  std::optional<FlowPlan> flow = {};   ///< of ProgramMode::flow
  Settings settings = {};              ///< of all terms; nothing is compared for them

  std::int64_t peak_host_bytes() const;
  std::int64_t gemms() const;  ///< products of tiles
};

/// 64-bit FNV-1a of all that the plans do and of the distribution, as 16 hexadecimal digits.
std::string program_digest(const PlannedProgram& planned, const FusedProgram& program);

/// The sums of terms are cut by choose_sum_pieces(), without regard to memory; then all is planned, and the
/// owners of blocks are chosen by these plans (choose_owners()). All terms have the strategy of the settings.
/// `on_demand`: ProgramDistribution. Throws as plan_program() and plan_steps().
ProgramDistribution choose_distribution(const FusedProgram& program, const std::vector<bool>& on_demand,
                                        const Machine& machine, const Settings& settings, ProgramMode mode);

/// Nothing is chosen. Throws as plan_program() and plan_flow().
PlannedProgram plan_distributed(const FusedProgram& program, ProgramDistribution distribution,
                                const Machine& machine, const Settings& settings, ProgramMode mode);

/// Chooses the distribution, where the options leave that open, and plans. Where a chosen one does not fit,
/// blocks are distributed round-robin and sums are whole, before more tensors are generated on demand. The
/// settings "strategy.TERM" name strategies of terms; with strategy=auto those of others are chosen
/// (choose_strategies()), with chosen owners and with blocks round-robin, of which that stays with which
/// levels take less; but not where tiles flow. Throws InputError as plan_with_made(),
/// take_named_strategies(), plan_program() and plan_flow(), and for named strategies where tiles flow.
PlannedProgram plan_program_as(const FusedProgram& program, const Machine& machine, const Settings& settings,
                               const ProgramPlanOptions& options);

}  // namespace foretile
