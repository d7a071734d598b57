// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mixed_backend.hpp"

#include <algorithm>

namespace foretile {

/// Nothing waits for both at once: products of the cores take milliseconds and are looked for ten times in
/// one.
std::vector<EndedOperation> MixedBackend::ended(double seconds) {
  constexpr double kBetweenLooks_s = 1e-4;
  const double until_s = now() + seconds;
  for (;;) {
    std::vector<EndedOperation> all = cores_->ended(0);
    const double left_s = until_s - now();
    const double wait_s = all.empty() ? std::clamp(left_s, 0.0, kBetweenLooks_s) : 0;
    for (const EndedOperation& one : gpus_->ended(wait_s)) all.push_back(one);
    if (!all.empty() || left_s <= 0) return all;
  }
}

}  // namespace foretile
