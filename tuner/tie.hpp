// SPDX-License-Identifier: BSD-3-Clause
// Which of candidates to take whose predicted times cannot be told apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace foretile {

/// Share of time that predictions cannot tell apart: the median error of 40 predictions at the rate of the
/// minute (docs/results/prediction.md, 4.8%).
inline constexpr double kTie = 0.05;

/// The same on a machine whose products are known within `error` only (CalibrationFacts::error).
inline double tie_of(double error) {
  return std::max(kTie, error);
}

/// What is known of a candidate that was simulated.
struct SimulatedTime {
  double seconds = 0;                                       ///< or joules, where these are the goal
  double effort = std::numeric_limits<double>::infinity();  ///< chunks and messages
};

/// The one of `by_time`, fastest first, to take instead of the defaults, or nothing: these take at most
/// 1 + `tie` times as long as the fastest. Else, of those that beat the defaults by more than `tie` and take
/// at most 1 + `tie` times as long as the fastest, the one with the least effort, of equal ones the fastest.
/// Without defaults all beat them.
std::optional<std::size_t> better_than_defaults(const std::vector<SimulatedTime>& by_time,
                                                std::optional<double> defaults_s, double tie);

}  // namespace foretile
