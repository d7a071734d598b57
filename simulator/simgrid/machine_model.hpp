// SPDX-License-Identifier: BSD-3-Clause
// The links of a machine, as SimGrid has them.
#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "base/id.hpp"
#include "platforms/machine.hpp"
#include "simulator/machine_links.hpp"

namespace foretile {

/// Speed of every host: work is given in nanoseconds. SimGrid's solver compares capacities with one absolute
/// precision (1e-5), so those of hosts and links (bytes/s) should be of like size.
inline constexpr double kHostSpeed = 1e9;

/// Flows start when their latency is over: the links have none of their own, since CM02 shares a link among
/// flows in inverse proportion to their latencies, as TCP does and DMA engines do not.
/// SimGrid solves the copies of a node apart from all else, since they share no link with messages.
/// One zone per rank and one for all messages, so that routes take memory in proportion to the ranks.
class MachineModel {
 public:
  /// `links` must outlive this.
  MachineModel(simgrid::s4u::Engine& engine, const Machine& machine, const MachineLinks& links);

  simgrid::s4u::Host* host(const Endpoint& end) const;
  /// All cores of the rank's node: several ranks share them.
  simgrid::s4u::Host* cores(Rank rank) const { return cores_[machine_->node_of(rank)]; }

  /// SimGrid hosts that a machine of this size takes.
  static std::int64_t hosts(const Machine& machine);

 private:
  struct RankHosts {
    std::vector<simgrid::s4u::Host*> memories;  // by socket of the node; null where the rank has no part
    std::vector<simgrid::s4u::Host*> devices;
    simgrid::s4u::Host* far_port = nullptr;  // for messages to other nodes
    simgrid::s4u::Host* near_port = nullptr;
    simgrid::s4u::Link* free = nullptr;  // of routes that nothing limits: SimGrid has none without a link
  };

  simgrid::s4u::Link* link(LinkId id);
  void add_route(simgrid::s4u::NetZone* zone, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                 const Route& route, Rank rank);
  void add_copies(Rank rank);
  void add_messages();

  const Machine* machine_;
  const MachineLinks* links_;
  simgrid::s4u::NetZone* root_;
  std::vector<simgrid::s4u::Link*> made_;   // by LinkId; null until a route has it
  std::vector<simgrid::s4u::Host*> cores_;  // by node
  std::vector<RankHosts> ranks_;
};

}  // namespace foretile
