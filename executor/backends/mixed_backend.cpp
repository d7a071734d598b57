// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/mixed_backend.hpp"

#include <algorithm>

namespace foretile {

/// Nothing waits for both at once: products of the cores take milliseconds and are looked for ten times in
/// one.
std::span<const EndedOperation> MixedBackend::ended(double seconds) {
  constexpr double kBetweenLooks_s = 1e-4;
  const double until_s = now() + seconds;
  for (;;) {
    const std::span<const EndedOperation> by_cores = cores_->ended(0);
    told_.assign(by_cores.begin(), by_cores.end());
    const double left_s = until_s - now();
    const double wait_s = told_.empty() ? std::clamp(left_s, 0.0, kBetweenLooks_s) : 0;
    for (const EndedOperation& one : gpus_->ended(wait_s)) told_.push_back(one);
    if (!told_.empty() || left_s <= 0) return told_;
  }
}

}  // namespace foretile
