// SPDX-License-Identifier: BSD-3-Clause
// The links of a machine, as SimGrid has them.
#pragma once

#include <map>
#include <simgrid/s4u.hpp>
#include <tuple>
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
/// All endpoints are SimGrid hosts of one zone, which asks MachineLinks for the route of each transfer:
/// routes take no memory, and both engines have the same ones.
class MachineModel {
 public:
  /// `links` must outlive this.
  MachineModel(simgrid::s4u::Engine& engine, const Machine& machine, const MachineLinks& links);

  simgrid::s4u::Host* host(const Endpoint& end) const { return hosts_.at(key(end)); }
  /// All cores of the rank's node: several ranks share them.
  simgrid::s4u::Host* cores(Rank rank) const { return cores_[machine_->node_of(rank)]; }

  /// SimGrid hosts that a machine of this size takes.
  static std::int64_t hosts(const Machine& machine);

 private:
  class Zone;
  using Key = std::tuple<int, int, int>;  // rank, kind, number

  static Key key(const Endpoint& end) { return {end.rank, static_cast<int>(end.kind), end.number}; }
  std::vector<Endpoint> endpoints(Rank rank, bool has_copies) const;
  void add(Zone& zone, const Endpoint& end);

  const Machine* machine_;
  std::vector<simgrid::s4u::Host*> cores_;    // by node
  std::map<Key, simgrid::s4u::Host*> hosts_;  // of endpoints
};

}  // namespace foretile
