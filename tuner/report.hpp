// SPDX-License-Identifier: BSD-3-Clause
// What a tuning found, as text for people and JSON for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/tune.hpp"

namespace foretile {

/// The best `rows` times: a column for each parameter that varies, the time, the joules where they are known,
/// the time (where the goal is energy, the joules) over the defaults'.
/// Candidates with the same time, or known to stand for the best's plan, share a row, with all their values
/// (values_text).
std::string ranking_table(const TuneResult& result, std::size_t rows = 10);

/// "block_fraction 0.3 to 0.6; lookahead 1, 2: the same plan", the values of TuneResult::same_as_best where
/// they differ; "...: the same plan in 3 of 8 combinations" where not all are among them. Empty when it is
/// one candidate.
std::string ties_text(const TuneResult& result);

/// "8.414 times faster": the one that is taken (TuneResult::chosen) than the defaults; "none that predictions
/// can tell (5%)" where those are taken. Empty without defaults or a time.
std::string gain_text(const TuneResult& result, double tie);

/// A line for each parameter of effects_on_best(), with its values grouped by what they do; below it what it
/// changed elsewhere, where at least three comparisons tell. Empty when there is none.
std::string effects_table(const TuneResult& result);

/// best {parameters, makespan_s} (null when nothing is done), defaults likewise, evaluated, infeasible,
/// failed, from_history, end, wall_s, ranking (the best ten), sensitivity, comparisons.
nlohmann::json to_json(const TuneResult& result);

/// "nothing is left", "the time is over".
std::string end_text(TuneEnd end);

/// For example "tune 12/100, best 34.9 s, 41 s left".
std::string progress_text(const TuneProgress& progress);

}  // namespace foretile
