// SPDX-License-Identifier: BSD-3-Clause
// Which strategy for each term of a program?
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/plan_work.hpp"
#include "planner/program/step_plan.hpp"
#include "planner/tensor/fused_program.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Takes the settings "strategy.TERM" away: by term (ProgramDistribution::strategies) what they name. Throws
/// InputError where there is no such term, for a term without a product, and where these settings or
/// "strategy" name none of strategies_for_terms().
std::vector<std::string> take_named_strategies(const FusedProgram& program, Settings& settings);

/// Of terms that have none in the distribution, with its owners of blocks. Step by step: all these terms get
/// the strategy with which the step takes least; then one of its four heaviest terms after the other gets
/// another, where the step takes less so, although terms with different strategies follow each other. Where
/// blocks are does not change, so steps are chosen one by one. Tried are the strategies that know all
/// settings, with these; `settings` names none. Sums of terms that get another strategy than that of
/// settings_for_terms() are whole. Returns the distribution with these strategies and sums.
ProgramDistribution choose_strategies(const FusedProgram& program, ProgramDistribution distribution,
                                      const Machine& machine, const Settings& settings, ProgramMode mode,
                                      const WorkSeconds& seconds);

}  // namespace foretile
