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
  const auto [id, event, load] = operations.start<LoadOperation>(cause, copy.to);
  event.bytes = copy.bytes;
  load.items.swap(items);
  std::swap(load.copy, copy);
  backend.start_copy(id, load.copy);
}

}  // namespace foretile
