// SPDX-License-Identifier: BSD-3-Clause
// Random factors of the times of a simulation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/random.hpp"

namespace foretile {

/// Around 1; never below a tenth, so that no time becomes negative.
inline double noise_factor(double deviation, Random& random) {
  return deviation > 0 ? std::max(0.1, 1.0 + deviation * random.normal()) : 1.0;
}

/// What has a factor of its own for a whole run.
enum class Noisy : std::uint8_t { device, node, link, model };

/// The same whoever asks first; `number` is the device's, node's or link's among all.
inline double lasting_factor(double deviation, std::uint64_t seed, Noisy kind, std::uint64_t number) {
  if (deviation <= 0) return 1;
  Random random(counter_bits(counter_bits(seed, 1 + static_cast<std::uint64_t>(kind)), number));
  return noise_factor(deviation, random);
}

}  // namespace foretile
