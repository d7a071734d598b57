// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/mixed_backend.hpp"

#include <algorithm>

namespace foretile {

/// Nothing waits for both at once: products of the cores take milliseconds, and the loop polls ten times in
/// each.
std::span<const EndedOperation> MixedBackend::ended(double seconds) {
  constexpr double kBetweenPolls_s = 1e-4;
  const double until_s = now() + seconds;
  for (;;) {
    ended_now_.clear();
    take_completions(0);
    const double left_s = until_s - now();
    const double wait_s = ended_now_.empty() ? std::clamp(left_s, 0.0, kBetweenPolls_s) : 0;
    for (const EndedOperation& one : gpus_->ended(wait_s)) ended_now_.push_back(one);
    if (!ended_now_.empty() || left_s <= 0) return ended_now_;
  }
}

}  // namespace foretile
