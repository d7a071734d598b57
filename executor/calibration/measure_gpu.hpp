// SPDX-License-Identifier: BSD-3-Clause
// Timing what is given to lanes of GPUs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/time_budget.hpp"
#include "executor/gpu/gpu.hpp"

namespace foretile {

/// UTC, "2025-01-31 12:00:31".
std::string utc_now();

struct GpuLane {
  Gpu* gpu = nullptr;
  Lane lane = 0;
};

/// Elapsed time of one repetition.
struct Measured {
  double seconds = 0;     ///< median
  double spread = 0;      ///< relative, from one sample to the next (see Summary); 0 for fewer than three
  int samples = 0;        ///< waited for one by one
  std::int64_t each = 1;  ///< repetitions in a sample, given one behind the other
};

/// Waits until the lanes have done all that they were given.
void wait_for(Gpus& gpus, std::span<const GpuLane> lanes);

/// Calls give(first, count) to hand out that many repetitions, then waits: first once unmeasured, then with
/// growing counts until a sample takes about a seventh of `seconds` but 20 ms at most, then samples of that
/// count until `seconds` are over: always one at least. `first` counts repetitions, so that memory may be
/// used in turn.
Measured measure_queued(Gpus& gpus, std::span<const GpuLane> lanes, double seconds,
                        const std::function<void(std::int64_t first, std::int64_t count)>& give);

/// The same with one repetition in a sample: what one takes that is waited for.
Measured measure_alone(Gpus& gpus, std::span<const GpuLane> lanes, double seconds,
                       const std::function<void(std::int64_t first, std::int64_t count)>& give);

}  // namespace foretile
