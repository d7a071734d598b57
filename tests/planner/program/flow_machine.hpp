// SPDX-License-Identifier: BSD-3-Clause
// A small machine on which tiles may flow.
#pragma once

#include <cstdint>

#include "tests/planner/small_machine.hpp"

namespace foretile {

/// small_machine() whose devices are cores, with a megabyte each for a block.
inline Machine flow_machine(int ranks, int devices, std::int64_t host_bytes = std::int64_t{1} << 40) {
  constexpr std::int64_t kDevice = std::int64_t{1} << 20;
  Machine machine = small_machine(ranks, devices, kDevice, host_bytes);
  machine.platform.device.kind = DeviceKind::core;
  machine.platform.cores_per_socket = devices;
  return machine;
}

}  // namespace foretile
