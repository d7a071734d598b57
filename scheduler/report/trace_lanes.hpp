// SPDX-License-Identifier: BSD-3-Clause
// Which line of a picture an operation is drawn on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/id.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

enum class LaneKind : std::uint8_t { generation, messages, kernels, loads, stores, additions };
inline constexpr std::array kLaneNames{"generation", "messages", "kernels", "loads", "stores", "additions"};

/// A rank's generation, messages and additions, and of each device kernels, loads and stores. What overlaps
/// gets further copies of its lane.
struct TraceLane {
  Rank rank = 0;
  MemoryPlace device = kHost;
  LaneKind kind = LaneKind::kernels;
  int copy = 0;
  friend bool operator==(const TraceLane&, const TraceLane&) = default;
  friend bool operator<(const TraceLane& l, const TraceLane& r) {
    return std::tie(l.rank, l.device, l.kind, l.copy) < std::tie(r.rank, r.device, r.kind, r.copy);
  }
};

/// Gives each operation a lane on which it overlaps none before it.
class TraceLanes {
 public:
  /// Operations of one rank must come by increasing end. Of the copies that are free when it starts it gets
  /// the one that was busy last; else a new one.
  TraceLane lane_of(const TraceEvent& event);

 private:
  std::map<TraceLane, std::vector<double>> ends_;  ///< by first copy: the last end on each copy
};

}  // namespace foretile
