// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of another library do, as a trace.
#pragma once

#include "scheduler/trace.hpp"

namespace foretile {

/// Kernels are on a rank's one device, all else on its host. Nothing without a sink, and for no time.
inline void record(TraceSink* trace, Cause cause, int rank, double start_s, double end_s) {
  if (!trace || end_s <= start_s) return;
  TraceEvent event;
  event.cause = cause;
  event.rank = Rank::of(rank);
  event.device = cause == Cause::kernel ? MemoryPlace(0) : kHost;
  event.start_s = start_s;
  event.end_s = end_s;
  trace->record(event);
}

}  // namespace foretile
