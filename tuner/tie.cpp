// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/tie.hpp"

namespace foretile {

std::optional<std::size_t> better_than_defaults(const std::vector<SimulatedTime>& by_time,
                                                std::optional<double> defaults_s, double tie) {
  std::optional<std::size_t> least;
  for (std::size_t n = 0; n < by_time.size(); ++n) {
    const auto& [seconds, effort] = by_time[n];
    if (defaults_s && !(*defaults_s > (1 + tie) * seconds)) break;  // nor do slower ones beat them
    if (seconds > (1 + tie) * by_time.front().seconds) break;
    if (!least || effort < by_time[*least].effort) least = n;
  }
  return least;
}

}  // namespace foretile
