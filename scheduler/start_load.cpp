#include "scheduler/start_load.hpp"

#include <utility>

namespace foretile {

int& loads_in_flight(DeviceQueue& queue, MemoryPlace from) {
  return from == kHost   ? queue.host_copies_in_flight
         : from == kMade ? queue.makes_in_flight
                         : queue.peer_copies_in_flight;
}

void start_load(Operations& operations, Backend& backend, DeviceQueue& queue, Copy& copy,
                std::vector<Item*>& items) {
  ++loads_in_flight(queue, copy.from);
  const Cause cause = copy.from == kHost ? Cause::h2d : copy.from == kMade ? Cause::generate : Cause::d2d;
  OperationId id = 0;
  Operation& operation = operations.start(cause, copy.to, id);
  operation.event.bytes = copy.bytes;
  operation.items.swap(items);
  std::swap(operation.copy, copy);
  backend.start_copy(id, operation.copy);
}

}  // namespace foretile
