// SPDX-License-Identifier: BSD-3-Clause
// How long messages between ranks take. All in seconds.
#pragma once

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
