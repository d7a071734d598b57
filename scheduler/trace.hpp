// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Observers of operations that ended.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/id.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/path.hpp"

namespace foretile {

/// One operation of a rank. `device` is kHost for generation and messages.
struct TraceEvent {
  Cause cause = Cause::kernel;     ///< what the time was spent for
  Rank rank = 0;                   ///< the rank that did it
  MemoryPlace device = kHost;      ///< the device, or kHost
  double start_s = 0;              ///< from the start of the run
  double end_s = 0;                ///< from the start of the run
  std::int64_t bytes = 0;          ///< moved or made; 0 for kernels
  std::int32_t i = -1,             ///< tile row of C or A; -1: none
      j = -1,                      ///< tile column of C or B; -1: none
      k = -1;                      ///< tile of the inner index; -1: none
  std::int32_t products = 0;       ///< of a kernel
  double software_s = 0;           ///< of the duration, where the back end knows it
  std::int64_t device_bytes = -1;  ///< memory of the device in use when it started; -1: not known
};

/// Receives each operation when it has ended.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// Takes an operation that has ended.
  virtual void record(const TraceEvent& event) = 0;
};

}  // namespace foretile
