// SPDX-License-Identifier: BSD-3-Clause
// What commands say of a program's distribution.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planner/program/fused_program.hpp"
#include "planner/program/program_distribution.hpp"

namespace foretile {

/// "blocks where they are needed, sums of 13 terms in pieces"
std::string distribution_text(const ProgramDistribution& distribution);

/// "grid-3d: t2_4, t2_5; owner-b: t2_9": of terms with strategies of their own; empty: there are none.
std::string strategies_text(const FusedProgram& program, const ProgramDistribution& distribution);

/// {blocks: "chosen" or "round-robin", sum_pieces: {name of a term that is cut: pieces}, strategies: {name of
/// a term with its own: strategy}}; without strategies where there are none.
nlohmann::ordered_json distribution_json(const FusedProgram& program,
                                         const ProgramDistribution& distribution);

}  // namespace foretile
