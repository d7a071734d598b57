#include "scheduler/operations.hpp"

namespace foretile {

BusyTime& Operations::busy(Cause cause, MemoryPlace device) {
  const std::size_t index =
      static_cast<std::size_t>(device - kHost) * kCauses + static_cast<std::size_t>(cause);
  if (index >= busy_.size()) busy_.resize(index + 1);
  return busy_[index];
}

Operation& Operations::start(Cause cause, MemoryPlace device, OperationId& id) {
  if (free_.empty()) {
    free_.push_back(static_cast<OperationId>(operations_.size()));
    operations_.emplace_back();
  }
  id = free_.back();
  free_.pop_back();
  Operation& operation = operations_[id];
  operation.event = {};
  operation.event.cause = cause;
  operation.event.rank = rank_;
  operation.event.device = device;
  operation.event.start_s = backend_->now();
  busy(cause, device).begin(operation.event.start_s);
  // On a real machine events are noticed late; what the chain does not explain is waiting.
  const double unexplained = operation.event.start_s - current_.total();
  operation.path = unexplained > 1e-9 ? current_.plus(Cause::wait, unexplained) : current_;
  operation.chunk = nullptr;
  operation.items.clear();
  operation.c_slots.clear();
  return operation;
}

Operation& Operations::end(OperationId id) {
  Operation& operation = operations_[id];
  operation.event.end_s = backend_->now();
  current_ = operation.path.plus(operation.event.cause, operation.event.end_s - operation.event.start_s);
  busy(operation.event.cause, operation.event.device).end(operation.event.end_s);
  if (sink_) sink_->record(operation.event);
  free_.push_back(id);
  return operation;
}

}  // namespace foretile
