// The part of a machine that a plan uses, as SimGrid hosts and links.
#pragma once

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "platforms/machine.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Speed of every host: work is given in nanoseconds. SimGrid's solver compares capacities with one absolute
/// precision (1e-5), so those of hosts and links (bytes/s) should be of like size.
inline constexpr double kHostSpeed = 1e9;

/// Where bytes leave, where they arrive, and what passes until the first byte.
struct Flow {
  simgrid::s4u::Host* from = nullptr;
  simgrid::s4u::Host* to = nullptr;
  double latency_s = 0;
  double s_per_byte = 0;  ///< of the slowest link on the way

  /// Of `bytes` when nothing else uses the links.
  double seconds_alone(std::uint64_t bytes) const {
    return latency_s + static_cast<double>(bytes) * s_per_byte;
  }
};

/// Socket of the node in whose memory a tile of the rank lies: any that the rank spans, by a hash of the
/// tile. Pages are where the thread ran that touched them first, and threads run on all of the rank's cores.
int home_socket(const Machine& machine, Rank rank, TileRef tile);

/// Bytes/s of messages between nodes that one rank and all ranks of a node together send, and likewise
/// receive; 0 never limits.
struct MessageLimits {
  double rank_bytes_per_s = 0;
  double node_bytes_per_s = 0;
};

/// SimGrid solves all messages together, so limits cost time (without the nodes' it rehearses 432 GPUs of
/// Summit 1.7 times as fast). A node's limit is left out where its ranks cannot reach it, and split among
/// them where it is no more than 5% below what they reach: then a rank that sends alone is up to 5% too slow.
MessageLimits message_limits(const Network& network, int ranks_per_node);

/// Links, every direction one of its own:
///  - host -> device: the memory of the tile's socket (both directions together), the bus when the device is
///    on another socket, the limit of all devices on the device's socket, and the device's link, where
///    its figure is known together with the way back; back the same way,
///  - device -> device on one socket: a link for each ordered pair (a V100 of Summit has two NVLink bricks
///    for each of its peers and two for the CPU),
///  - device -> device across sockets: out as to the host, the bus, in as from the host, but no memory,
///  - rank -> rank: the rank's own cap and its node's injection limit on either side; inside a node a link of
///    the rank's own.
/// Flows start when their latency is over: the links have none of their own, since CM02 shares a link among
/// flows in inverse proportion to their latencies, as TCP does and DMA engines do not.
/// Messages share no link with copies, nor do they cross host memory, so that SimGrid solves the copies of a
/// node apart from all else. No link joins all nodes: the fabric is taken as non-blocking.
/// One zone per rank and one for all messages, so that routes take memory in proportion to the ranks.
class MachineModel {
 public:
  MachineModel(simgrid::s4u::Engine& engine, const Machine& machine);

  /// A batch goes by its first tile.
  Flow copy(Rank rank, const Copy& copy) const;
  Flow message(Rank from_rank, Rank to_rank) const;
  /// All cores of the rank's node: several ranks share them.
  simgrid::s4u::Host* cores(Rank rank) const { return cores_[machine_->node_of(rank)]; }

  /// SimGrid hosts that a machine of this size takes.
  static std::int64_t hosts(const Machine& machine);

 private:
  using Links = std::vector<simgrid::s4u::Link*>;
  struct Socket {
    simgrid::s4u::Link* memory = nullptr;
    simgrid::s4u::Link* down = nullptr;  // to all devices
    simgrid::s4u::Link* up = nullptr;
    simgrid::s4u::Link* bus = nullptr;  // out of the socket
  };
  struct DeviceLinks {
    Links in, out;
    Links both;  // null where directions do not disturb each other
  };
  struct RankHosts {
    std::vector<simgrid::s4u::Host*> memories;  // by socket of the node; null where the rank has no part
    std::vector<simgrid::s4u::Host*> devices;
    simgrid::s4u::Host* far_port = nullptr;  // for messages to other nodes
    simgrid::s4u::Host* near_port = nullptr;
  };

  /// Of the slowest link of the route, kept in `known`, where 0 stands for a route not asked for yet.
  static double s_per_byte(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to, double& known);
  simgrid::s4u::Link* link(const std::string& name, double bandwidth);
  simgrid::s4u::Link* limit(const std::string& name, double bandwidth);
  std::vector<Socket> add_sockets(int node);
  void add_copies(Rank rank, const std::vector<Socket>& sockets);
  void add_peers(simgrid::s4u::NetZone* zone, Rank rank, const std::vector<Socket>& sockets,
                 const DeviceLinks& own);
  void add_messages();

  const Machine* machine_;
  simgrid::s4u::NetZone* root_;
  std::vector<simgrid::s4u::Host*> cores_;  // by node
  std::vector<RankHosts> ranks_;
  /// By rank, of copies: from x to, each by socket, then by device.
  mutable std::vector<std::vector<double>> copy_s_per_byte_;
  mutable double near_s_per_byte_ = 0, far_s_per_byte_ = 0;  // of messages: all ranks have the same links
};

}  // namespace foretile
