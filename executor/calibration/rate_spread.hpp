// SPDX-License-Identifier: BSD-3-Clause
// How much the speed of the cores differs from time to time, and from core to core: what Noise says of a run.
#pragma once

#include <cstddef>
#include <vector>

namespace foretile {

/// Relative standard deviations.
struct RateSpread {
  double node = 0;    ///< Noise::node: of the rate of all cores together, from time to time
  double device = 0;  ///< Noise::device: of the rate of one core among all at the same time
};

/// Of probes one after the other, each the rates of all cores (flop/s, or any unit). As many neighbours as
/// `window` says are averaged first, so that a mean spans the time of a short run; those left over at the end
/// are not used. Over the window means r(w, c) of W windows and C cores, with m(w) the mean over c and m that
/// over all: node^2 = sum of (m(w) / m - 1)^2 / (W - 1), device^2 = sum of (r(w, c) / m(w) - 1)^2 / W (C -
/// 1). Zero where there are fewer than two windows, or cores.
/// `speeds`: of core_speeds(); they are no spread.
RateSpread rate_spread(std::vector<std::vector<double>> probes, std::size_t window,
                       const std::vector<double>& speeds = {});

/// Below this part of the fastest core's rate a core counts as another kind of core.
inline constexpr double kAlikeCores = 0.9;

/// Of the same probes: the mean rate of each core over that of the fastest. Empty where all are above
/// kAlikeCores, or nothing was measured.
std::vector<double> core_speeds(const std::vector<std::vector<double>>& probes);

}  // namespace foretile
