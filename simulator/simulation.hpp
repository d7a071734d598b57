// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Simulates a plan on a model of the machine.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "planner/plan/assignment.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"
#include "scheduler/statistics.hpp"
#include "scheduler/trace.hpp"
#include "simulator/engine_choice.hpp"

namespace foretile {

/// What a coarse simulation takes as one activity.
struct CoarseGroups {
  int products = 1;             ///< that are ready start together, at most so many; their time is that of
                                ///< launches of PlanFrame::batch in order
  std::int64_t copy_bytes = 0;  ///< SchedulerOptions::copy_batch_bytes
  int reach = 0;                ///< of a change of rates, so many full links; 0: everywhere; only for fluid
  int generated_tiles = 0;  ///< of B, that a core makes at least, whole ones; 0: as the executor makes them
};

/// How a plan is simulated.
struct SimulationOptions {
  TraceSink* trace = nullptr;                     ///< gets each operation; nullptr: none does
  std::uint64_t noise_seed = 1;                   ///< used where the platform's noise is not 0
  CoarseGroups groups = {};                       ///< of a coarse simulation; by default it is a full one
  bool in_plan_order = false;                     ///< SchedulerOptions::in_plan_order
  EngineChoice engine = EngineChoice::automatic;  ///< the solver
  /// Longer times than that are of no interest.
  double stop_s = std::numeric_limits<double>::infinity();
  /// Nor in what follows when so many products are done.
  std::int64_t stop_products = std::numeric_limits<std::int64_t>::max();
};

/// What a simulation says.
struct SimulationResult {
  bool stopped = false;               ///< before the end, as SimulationOptions asks: the rest is empty
  double makespan_s = 0;              ///< from the start on all ranks to the end of the last
  std::vector<RankStatistics> ranks;  ///< of the machine, those that the grid leaves out too
  EngineChoice engine = EngineChoice::automatic;  ///< that it was
  std::vector<RankAssignment> assignment;         ///< of the plan's ranks: who took which block
};

/// Predicts the time of a plan. Every product, copy, generated tile and message is one activity of the engine
/// or more. SimGrid has one engine per process: with EngineChoice::automatic, simulations after the first
/// take the fluid one. Throws WorkError when the plan stalls (a bug: the verifier excludes it) and InputError
/// when the plan is for a larger machine, the machine is too large for the chosen engine, SimGrid is asked
/// for a second time or where use_simgrid() was not called, or the platform does not know the problem's
/// precision.
SimulationResult simulate(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          const SimulationOptions& options = {});

}  // namespace foretile
