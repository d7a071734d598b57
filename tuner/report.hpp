// What a tuning found, as text for people and JSON for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/tune.hpp"

namespace foretile {

/// The best makespan among the done candidates that have one value of a parameter.
struct ValueEffect {
  std::string value;
  double best_s = 0;
  std::uint64_t candidates = 0;
};

/// How much a parameter mattered: its values from best to worst.
struct ParameterEffect {
  std::string name;
  std::vector<ValueEffect> values;

  /// The last value's best time over the first one's, at least 1. Infinite when only some are 0 s.
  double ratio() const;
};

/// Parameters with at least two values among the done candidates, the one that mattered most first.
/// Candidates that lack a parameter do not count for it. One value may look bad because few candidates tried
/// it: the counts tell.
std::vector<ParameterEffect> sensitivity(const TuneResult& result);

/// The best `rows` candidates: a column for each parameter that varies, the time, the time over the
/// defaults'.
std::string ranking_table(const TuneResult& result, std::size_t rows = 10);

/// "the same plan: block_fraction 0.8, 0.9; lookahead 1, 2", the values of TuneResult::same_as_best where
/// they differ. Empty when it is one candidate.
std::string ties_text(const TuneResult& result);

/// One line per parameter of sensitivity(), at most `values` values each. Empty when none varies.
std::string sensitivity_table(const TuneResult& result, std::size_t values = 6);

/// best {parameters, makespan_s} (null when nothing is done), defaults likewise, evaluated, infeasible,
/// failed, from_history, end, wall_s, ranking (the best ten), sensitivity.
nlohmann::json to_json(const TuneResult& result);

/// For example "tune 12/100, best 34.9 s, 41 s left".
std::string progress_text(const TuneProgress& progress);

}  // namespace foretile
