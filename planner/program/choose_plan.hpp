// SPDX-License-Identifier: BSD-3-Clause
// Plans a program as its user asks for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/plan_work.hpp"
#include "planner/program/program_plan.hpp"

namespace foretile {

enum class DistributionChoice : std::uint8_t {
  automatic,   ///< choose_distribution(), so that less is sent
  round_robin  ///< of blocks, and a tile of C is computed by one rank
};

struct ProgramPlanOptions {
  ProgramMode mode = ProgramMode::levels;
  DistributionChoice distribution = DistributionChoice::automatic;
  std::vector<std::string> on_demand = {};  ///< of plan_on_demand()
  WorkSeconds seconds = {};  ///< to compare strategies by; without: bounds, with tasks and messages
};

/// The sums of terms are cut by choose_split_k(), without regard to memory; then all is planned, and the
/// owners of blocks are chosen by these plans (choose_owners()). All terms have the strategy of the settings.
/// `on_demand`: ProgramDistribution. Throws as plan_steps().
ProgramDistribution choose_distribution(const FusedProgram& program, const std::vector<bool>& on_demand,
                                        const Machine& machine, const Settings& settings, ProgramMode mode);

/// Chooses the distribution, where the options leave that open, and plans. Where a chosen one does not fit,
/// blocks are distributed round-robin and sums are whole, before more tensors are generated on demand. The
/// settings "strategy.TERM" name strategies of terms; with strategy=auto those of others are chosen
/// (choose_strategies()), with chosen owners and with blocks round-robin; of these plans, and that by the
/// usual strategy, the shortest stays. Throws InputError as plan_on_demand(), take_named_strategies() and
/// plan_program().
ProgramPlan choose_plan(const FusedProgram& program, const Machine& machine, const Settings& settings,
                        const ProgramPlanOptions& options);

}  // namespace foretile
