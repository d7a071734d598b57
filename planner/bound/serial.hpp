// SPDX-License-Identifier: BSD-3-Clause
// Work that one resource does piece by piece.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace foretile {

/// Pieces of work of one resource, and what follows each of them at least: its tail.
class Serial {
 public:
  /// No tail is longer than `longest_s`.
  explicit Serial(double longest_s) : steps_per_s_(longest_s > 0 ? kSteps / longest_s : 0) {}

  void add(double seconds, double tail_s) {
    const auto step = static_cast<std::size_t>(tail_s * steps_per_s_);
    seconds_[std::min(step, kSteps)] += seconds;
  }

  /// Whatever the order: of the pieces with the longest tails the last one ends no earlier than their sum,
  /// and its tail follows (Jackson's bound for one machine with tails, without release times). Tails are
  /// rounded down to a 256th of the longest.
  double bound() const {
    double sum = 0;
    double bound = 0;
    for (std::size_t step = kSteps + 1; step-- > 0;) {
      sum += seconds_[step];
      if (seconds_[step] > 0)
        bound = std::max(bound, sum + (steps_per_s_ > 0 ? static_cast<double>(step) / steps_per_s_ : 0.0));
    }
    return bound;
  }

 private:
  static constexpr std::size_t kSteps = 256;
  double steps_per_s_;
  std::array<double, kSteps + 1> seconds_{};
};

}  // namespace foretile
