// SPDX-License-Identifier: BSD-3-Clause
// Which products a calibration times where its time is limited.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "executor/calibration/fit.hpp"

namespace foretile {

/// What one round over all shapes may take.
struct RoundLimits {
  double flops_per_s = 0;        ///< of a core, about
  double seconds_per_shape = 0;  ///< more are not needed
  double seconds = std::numeric_limits<double>::infinity();
};

/// One round over shapes. Any number of the first ones has small and large, flat and cubic ones.
struct RoundPlan {
  std::vector<KernelSample> shapes;
  double seconds_per_shape = 0;
};

/// Fewer shapes than these are no base for a curve.
inline constexpr std::size_t kLeastShapes = 8;

/// Products of every m, n and k from `sizes`, and `cubes`. Where they would take longer than the limit, every
/// second size is left out, then the largest shapes, then each has less time.
RoundPlan plan_round(std::vector<std::int64_t> sizes, std::vector<std::int64_t> cubes,
                     const RoundLimits& limits);

}  // namespace foretile
