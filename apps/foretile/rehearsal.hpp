// SPDX-License-Identifier: BSD-3-Clause
// The simulator, where there is one.
#pragma once

#include <span>

#include "planner/plan_file.hpp"
#include "planner/program/term_strategies.hpp"
#include "simulator/original_order.hpp"
#include "simulator/program_simulation.hpp"
#include "simulator/simulation.hpp"

namespace foretile {

/// Throws InputError that says why `command` is off when the program was built without SimGrid.
void require_simulator(const char* command);

/// How long a plan takes, by a coarse simulation with the fluid engine. Noise, where the platform has any, is
/// drawn with seed 1. Nothing where there is no simulator.
WorkSeconds rehearsed_seconds();
/// The same of a level of a program, with its moves.
LevelSeconds rehearsed_level_seconds();

/// simulate() (simulator/simulation.hpp); once per process.
SimulationResult rehearse(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          const SimulationOptions& options = {});

/// simulate_program() (simulator/program_simulation.hpp).
std::vector<LevelTimes> rehearse_program(std::span<const LevelPlan> plans, const Machine& machine,
                                         const SimulationOptions& options);

/// simulate_original() (simulator/original_order.hpp).
OriginalResult rehearse_original(const FusedProgram& program, const Machine& machine,
                                 const OriginalOptions& options);

}  // namespace foretile
