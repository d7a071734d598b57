// SPDX-License-Identifier: BSD-3-Clause
// Machines for tests, without a file.
#pragma once

#include <cstdint>

#include "platforms/machine.hpp"

namespace foretile {

/// `ranks` ranks with `devices` devices each. Every cost is 0 but the kernel's 1 s per 1e9 flop and 1 GB/s
/// for generation; links without a bandwidth never limit.
inline Machine small_machine(int ranks, int devices, std::int64_t device_bytes, std::int64_t host_bytes,
                             int ranks_per_node = 1) {
  Machine machine;
  machine.ranks = ranks;
  machine.ranks_per_node = ranks_per_node;
  machine.devices_per_rank = devices;
  Platform& p = machine.platform;
  p.name = "test";
  p.nodes = (ranks - 1) / ranks_per_node + 1;
  p.ranks_per_node = ranks_per_node;
  p.cores_per_socket = 4 * ranks_per_node;
  p.devices_per_socket = devices * ranks_per_node;
  p.memory_bytes_per_socket = host_bytes * ranks_per_node;
  p.device.memory_bytes = device_bytes;
  p.device.kernel.rate_flops_per_s = p.device.single.rate_flops_per_s = 1e9;
  p.generation_bytes_per_s_per_core = 1e9;
  return machine;
}

}  // namespace foretile
