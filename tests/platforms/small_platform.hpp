// SPDX-License-Identifier: BSD-3-Clause
// A platform file for tests: 2 nodes of 1 socket with 2 GPUs, without software costs.
#pragma once

#include <stdexcept>
#include <string>

namespace foretile {

inline const std::string small_platform = R"(name = "small"
nodes = 2
sockets_per_node = 1
ranks_per_node = 1
[socket]
cores = 4
devices = 2
memory = "64 GB"
memory_bandwidth = "100 GB/s"
device_bandwidth = "20 GB/s"
[device]
kind = "gpu"
memory = "8 GiB"
[device.kernel]
rate = "1 Tflop/s"
half_m = 10
half_n = 20
half_k = 30
latency = "5 us"
streams = 1
[pcie]
latency = "10 us"
bandwidth = "12 GB/s"
[peer]
latency = "15 us"
bandwidth = "10 GB/s"
[message]
latency = "1 us"
bandwidth = "8 GB/s"
[network]
latency = "2 us"
bandwidth = "6 GB/s"
node_bandwidth = "12 GB/s"
[generation]
rate = "1 GB/s"
[runtime]
source = "none"
)";

/// The small platform with `from`, which must be there, replaced by `to`.
inline std::string small_with(const std::string& from, const std::string& to) {
  std::string text = small_platform;
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("not in the small platform: " + from);
  return text.replace(at, from.size(), to);
}

}  // namespace foretile
