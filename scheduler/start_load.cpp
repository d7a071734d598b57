#include "scheduler/start_load.hpp"

#include <utility>

namespace foretile {

void start_load(Operations& operations, Backend& backend, DeviceQueue& queue, Copy copy,
                std::vector<Item*> items) {
  const bool from_host = copy.from == kHost;
  ++(from_host ? queue.host_copies_in_flight : queue.peer_copies_in_flight);
  OperationId id = 0;
  Operation& operation = operations.start(from_host ? Cause::h2d : Cause::d2d, copy.to, id);
  operation.event.bytes = copy.bytes;
  operation.items = std::move(items);
  operation.copy = std::move(copy);
  backend.start_copy(id, operation.copy);
}

}  // namespace foretile
