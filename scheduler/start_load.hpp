// The one way in which loads of a device begin.
#pragma once

#include <vector>

#include "scheduler/backend.hpp"
#include "scheduler/device_queue.hpp"
#include "scheduler/operations.hpp"

namespace foretile {

/// Of loads from there (scheduler/backend.hpp) to the device.
int& loads_in_flight(DeviceQueue& queue, MemoryPlace from);

/// `items` are those of `copy.tiles`; they arrive when the operation ends. Both come
/// back with what an earlier operation left in them, to be cleared.
void start_load(Operations& operations, Backend& backend, DeviceQueue& queue, Copy& copy,
                std::vector<Item*>& items);

}  // namespace foretile
