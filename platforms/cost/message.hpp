// SPDX-License-Identifier: BSD-3-Clause
// How long messages between ranks take. All in seconds.
#pragma once

#include <algorithm>
#include <cstddef>

#include "platforms/cost/link.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Between ranks of one node (`near`) or of two.
inline const LinkModel& message_link(const Platform& p, bool near) {
  return near ? p.links.message : p.network.message;
}
inline const LinkModel& message_link(const Machine& machine, Rank from, Rank to) {
  return message_link(machine.platform, machine.node_of(from) == machine.node_of(to));
}

/// No message is faster, whether it comes to host memory or to a device's (0: no such limit).
inline LinkModel least_message_link(const Machine& machine, Rank from, Rank to) {
  const Platform& p = machine.platform;
  const LinkModel& host = message_link(machine, from, to);
  if (!machine.receives_on_devices()) return host;
  const LinkModel& device = p.network.device_message;
  const bool near = machine.node_of(from) == machine.node_of(to);
  const bool limited = !near && host.bandwidth_bytes_per_s > 0 && device.bandwidth_bytes_per_s > 0;
  return {std::min(host.latency_s, device.latency_s),
          limited ? std::max(host.bandwidth_bytes_per_s, device.bandwidth_bytes_per_s) : 0.0};
}

/// Of a message's tiles, at either end: serial on each rank.
inline double message_software_s(const Platform& p, std::size_t tiles) {
  return p.runtime.message_overhead_s * static_cast<double>(tiles);
}

/// For all that the ranks of a node send to other nodes, or receive from them.
inline double node_port_s(const Platform& p, double bytes) {
  return over(bytes, p.network.node_injection_bytes_per_s);
}

/// For all messages inside a node.
inline double inside_node_s(const Machine& machine, double bytes) {
  const NodeLinks& links = machine.platform.links;
  return over(bytes, links.node_message_bytes_per_s > 0
                         ? links.node_message_bytes_per_s
                         : machine.ranks_per_node * links.message.bandwidth_bytes_per_s);
}

}  // namespace foretile
