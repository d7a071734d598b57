// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <map>

#include "scheduler/trace.hpp"

namespace foretile {

/// Seconds of all events by cause, and when the last one ended.
class TraceTimes final : public TraceSink {
 public:
  void record(const TraceEvent& event) override {
    seconds[event.cause] += event.end_s - event.start_s;
    last_s = std::max(last_s, event.end_s);
  }
  std::map<Cause, double> seconds;
  double last_s = 0;
};

}  // namespace foretile
