// SPDX-License-Identifier: BSD-3-Clause
// Observers of operations that ended.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/id.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/path.hpp"

namespace foretile {

/// One operation of a rank. `device` is kHost for generation and messages.
struct TraceEvent {
  Cause cause = Cause::kernel;
  Rank rank = 0;
  MemoryPlace device = kHost;
  double start_s = 0;
  double end_s = 0;
  std::int64_t bytes = 0;               ///< moved or made; 0 for kernels
  std::int32_t i = -1, j = -1, k = -1;  ///< tile indices where one tile or product is meant; of the first
  std::int32_t products = 0;            ///< of a kernel
  double software_s = 0;                ///< of the duration, where the back end knows it
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(const TraceEvent& event) = 0;
};

}  // namespace foretile
