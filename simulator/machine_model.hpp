// The part of a machine that a plan uses, as SimGrid hosts and links.
#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "platforms/machine.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Speed of every host: work is given in nanoseconds. SimGrid's solver compares capacities with one absolute
/// precision (1e-5), so those of hosts and links (bytes/s) should be of like size.
inline constexpr double kHostSpeed = 1e9;

/// Links:
///  - host -> device and back: the device's link, the limit of all devices on its socket, and the bus when
///  the
///    host's memory is on another socket,
///  - device -> device: one's way out, the other's way in, and the bus between sockets,
///  - rank -> rank: the rank's own cap and its node's injection limit on either side; inside a node a link of
///    the rank's own.
/// The links have no latency of their own: CM02 shares a link among flows in inverse proportion to their
/// latencies, as TCP does and DMA engines do not. Flows start when their latency is over instead.
/// Every direction is a link of its own. Flows between nodes and flows inside a node share no link, so that
/// SimGrid solves them apart. No link joins all nodes: the fabric is taken as non-blocking.
class MachineModel {
 public:
  MachineModel(simgrid::s4u::Engine& engine, const Machine& machine);

  simgrid::s4u::Host* memory(int rank) const { return memories_[rank]; }
  simgrid::s4u::Host* device(int rank, int device) const { return devices_[rank][device]; }
  /// Until the first byte: of a copy inside a rank, of a message.
  double copy_latency(int rank, MemoryPlace from, MemoryPlace to) const;
  double message_latency(int from_rank, int to_rank) const;
  /// All cores of the rank's node: several ranks share them.
  simgrid::s4u::Host* cores(int rank) const { return cores_[machine_->node_of(rank)]; }

 private:
  using Route = std::vector<simgrid::s4u::LinkInRoute>;
  simgrid::s4u::Link* link(const std::string& name, double bandwidth);
  void add_hosts();
  void add_device_routes(int node);
  void add_message_routes();
  Route between_sockets(int node, int from, int to) const;
  void route(simgrid::s4u::Host* from, simgrid::s4u::Host* to, const Route& links);

  const Machine* machine_;
  simgrid::s4u::NetZone* zone_;
  std::vector<simgrid::s4u::Host*> memories_, cores_;
  std::vector<std::vector<simgrid::s4u::Host*>> devices_;
  std::vector<std::vector<simgrid::s4u::Link*>> bus_;  // node x (socket it leaves)
};

}  // namespace foretile
