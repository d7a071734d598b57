// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/trace_lanes.hpp"

namespace foretile {

namespace {

/// 1 ns: what rounding may make of times that touch.
constexpr double kSlack_s = 1e-9;

TraceLane first_copy(const TraceEvent& event) {
  switch (event.cause) {
    case Cause::generate:  // on the host's cores, or on a device
      return {event.rank, event.device, LaneKind::generation, 0};
    case Cause::network:
    case Cause::wait:
      return {event.rank, kHost, LaneKind::messages, 0};
    case Cause::kernel:
      return {event.rank, event.device, LaneKind::kernels, 0};
    case Cause::h2d:
    case Cause::d2d:
      return {event.rank, event.device, LaneKind::loads, 0};
    case Cause::combine:
      return {event.rank, kHost, LaneKind::additions, 0};
    case Cause::d2h:
      break;
  }
  return {event.rank, event.device, LaneKind::stores, 0};
}

}  // namespace

TraceLane TraceLanes::lane_of(const TraceEvent& event) {
  TraceLane lane = first_copy(event);
  std::vector<double>& ends = ends_[lane];
  std::size_t chosen = ends.size();
  for (std::size_t copy = 0; copy < ends.size(); ++copy) {
    if (ends[copy] > event.start_s + kSlack_s) continue;
    if (chosen == ends.size() || ends[copy] > ends[chosen]) chosen = copy;
  }
  if (chosen == ends.size()) ends.emplace_back();
  ends[chosen] = event.end_s;
  lane.copy = static_cast<int>(chosen);
  return lane;
}

}  // namespace foretile
