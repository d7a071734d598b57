// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/operations.hpp"

#include <algorithm>

namespace foretile {

BusyTime& Operations::busy(Cause cause, MemoryPlace device) {
  const std::size_t index =
      static_cast<std::size_t>(device - kHost) * kCauses + static_cast<std::size_t>(cause);
  if (index >= busy_.size()) busy_.resize(index + 1);
  return busy_[index];
}

Operations::Resource Operations::resource_of(Cause cause, MemoryPlace device) const {
  if (is_fifo(cause, device)) return {Cause::generate, kHost};
  return {cause, device};
}

/// By the operation that ended last.
void Operations::extend_path(Path& path, const Resource& next) const {
  if (next == last_resource_) {
    path.add(last_.cause, Part::work, last_.seconds);
  } else {
    path.add(last_);
  }
}

void Operations::set_path(const Path& path) {
  before_ = path;
  last_ = {};
  last_resource_ = {};
}

void Operations::begin(Operation& operation, Cause cause, MemoryPlace device) {
  ++in_flight_;
  operation.event = {};
  operation.event.cause = cause;
  operation.event.rank = rank_;
  operation.event.device = device;
  operation.event.start_s = backend_->now();
  if (!is_fifo(cause, device)) busy(cause, device).begin(operation.event.start_s);
  operation.path = before_;
  extend_path(operation.path, resource_of(cause, device));
  // On a real machine events are noticed late; what the chain does not explain is waiting.
  const double unexplained = operation.event.start_s - operation.path.total();
  if (unexplained > 1e-9) operation.path.add(Cause::wait, Part::work, unexplained);
}

Operation& Operations::end(OperationId id, const OperationTime& time) {
  Operation& operation = operations_[id];
  TraceEvent& event = operation.event;
  event.end_s = backend_->now();
  const double duration = event.end_s - event.start_s;
  event.software_s = std::min(time.software_s, duration);
  const double waited = std::max(0.0, time.began_s - event.start_s);
  const double queued = std::min(time.queued_s + waited, duration - event.software_s);
  before_ = operation.path;
  before_.add(event.cause, Part::software, event.software_s);
  before_.add(event.cause, Part::work, queued);
  last_ = {event.cause, duration - event.software_s - queued, event.bytes};
  last_resource_ = resource_of(event.cause, event.device);
  TraceEvent seen = event;
  seen.start_s += waited;
  if (time.ended_s > 0) seen.end_s = time.ended_s;
  if (is_fifo(event.cause, event.device)) {
    busy(event.cause, event.device).add(seen.start_s, seen.end_s);
  } else {
    busy(event.cause, event.device).end(event.end_s);
  }
  if (sink_) sink_->record(seen);
  free_[operation.work.index()].push_back(id);
  --in_flight_;
  return operation;
}

}  // namespace foretile
