// SPDX-License-Identifier: BSD-3-Clause
// What both programs say of a planned program.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "planner/program/program_plan.hpp"
#include "planner/tensor/fused_program.hpp"
#include "scheduler/report/program_times.hpp"

namespace foretile {

/// "blocks where they are needed, split-K of 13 terms"
std::string distribution_text(const ProgramDistribution& distribution);

/// "grid-3d: t2_4, t2_5; owner-b: t2_9": of terms with strategies of their own; empty: there are none.
std::string strategies_text(const FusedProgram& program, const ProgramDistribution& distribution);

/// {blocks: "chosen" or "round-robin", split_k: {name of a term that is cut: pieces}, strategies: {name of
/// a term with its own: strategy}}; without strategies where there are none.
nlohmann::ordered_json distribution_json(const FusedProgram& program,
                                         const ProgramDistribution& distribution);

/// "3", or "3.2" of one that is computed part by part.
std::string name_of(const PlannedStep& step);
/// By term that sends: {name, a, b, c: {all, between_nodes} in bytes}, as traffic_of_terms().
nlohmann::ordered_json traffic_json(const FusedProgram& program, const ProgramPlan& plan);
/// "l_p 10.1 TB, r_y2 6.77 TB, r_x2 6.66 TB": the terms for which most is sent, three at most; empty: none
/// sends.
std::string traffic_text(const FusedProgram& program, const ProgramPlan& plan);
/// Of the plan, without times.
nlohmann::ordered_json step_json(const FusedProgram& program, const PlannedStep& step);

/// What step_lines() has beside times of simulations and runs: nothing.
inline constexpr const std::vector<double>* kNoTimes = nullptr;
/// A table of the steps, with its head. `ends_s`: by step, when it ended; or kNoTimes.
std::string step_lines(const FusedProgram& program, const ProgramPlan& plan,
                       const std::vector<double>* ends_s);

/// Of each rank, what simulations and runs of a plan have alike: {products: by device, tasks: permutations,
/// copies, additions, sent_bytes}.
nlohmann::ordered_json by_rank_json(std::span<const RankStatistics> ranks);

/// {products, tasks, sending}: seconds, means over ranks.
nlohmann::ordered_json times_json(const ProgramTimes& times);
/// A line of a report, whose values begin at this column.
std::string times_line(const ProgramTimes& times, int column);

}  // namespace foretile
