// SPDX-License-Identifier: BSD-3-Clause
// What of a machine is shared, and which parts of it each copy and message uses.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "platforms/machine.hpp"
#include "platforms/node_graph.hpp"
#include "platforms/placement.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Socket of the node in whose memory a tile of the rank is: any that the rank spans, by a hash of the
/// tile. Pages are where the thread ran that touched them first, and threads run on all of the rank's cores.
int home_socket(const Machine& machine, Rank rank, TileRef tile);

/// Bytes/s of messages between nodes that one rank and all ranks of a node together send, and likewise
/// receive; 0 never limits.
struct MessageLimits {
  double rank_bytes_per_s = 0;
  double node_bytes_per_s = 0;
};

/// SimGrid solves all messages together, so limits cost time (without the nodes' it simulates 432 GPUs of
/// Summit 1.7 times as fast). A node's limit is left out where its ranks cannot reach it, and split among
/// them where it is no more than 5% below what they reach: then a rank that sends alone is up to 5% too slow.
MessageLimits message_limits(const Network& network, int ranks_per_node);

/// Of a link that never limits; no route has it.
inline constexpr double kUnlimited = 0;

/// Number of something that several operations share.
using LinkId = std::int32_t;

/// Where bytes leave or arrive.
struct Endpoint {
  enum class Kind : std::uint8_t { memory, device, far_port, near_port };
  Rank rank = 0;
  Kind kind = Kind::memory;
  int number = 0;  ///< of the socket in its node, or of the rank's device; of a port kHost or such a device
};

/// Of one copy or message at most.
inline constexpr std::size_t kMostLinks = 24;

/// The links that bytes use from one end to the other, and what passes until the first byte.
struct Route {
  Endpoint from, to;
  std::array<LinkId, kMostLinks> all{};
  int count = 0;
  double latency_s = 0;
  double s_per_byte = 0;  ///< of the slowest link

  std::span<const LinkId> links() const { return {all.data(), static_cast<std::size_t>(count)}; }
  /// Of `bytes` when nothing else uses the links.
  double seconds_alone(std::uint64_t bytes) const {
    return latency_s + static_cast<double>(bytes) * s_per_byte;
  }
};

/// Links, every direction one of its own:
///  - copies use those of the node's graph (platforms/node_graph.hpp) between a device and the memory of the
///    tile's socket, or another device,
///  - messages between nodes use those of the graph from the sender's memory, or its device, to the rank's
///    card, the rank's own cap, its card (or the port of the node), and on the way the links of leaf
///    switches and groups (platforms/placement.hpp); then the same back to the receiver,
///  - messages inside a node use a link of the rank's own and one of all the node's ranks; from device to
///    device those of the graph.
/// Where the platform has no network cards, messages share no link with copies: they do not slow down what
/// crosses host memory. Links are numbered node by node, then those of the fabric; nothing takes memory by
/// pairs of ranks.
class MachineLinks {
 public:
  /// With Noise::bandwidth every link has a factor of its own, by the seed.
  explicit MachineLinks(const Machine& machine, std::uint64_t noise_seed = 1);

  /// By LinkId: bytes/s, of cores a number of cores; kUnlimited where a figure is missing.
  const std::vector<double>& capacities() const { return capacities_; }
  /// The same, and kUnlimited where what leads to a link cannot fill it: ranks' own caps keep messages below
  /// the cards and groups of some machines. Fair rates do not change, and solvers have fewer links.
  std::vector<double> limiting_capacities() const;
  /// All cores of the rank's node: several ranks share them.
  LinkId cores(Rank rank) const { return node_link(machine_->node_of(rank), 0); }
  /// Whether devices have memory of their own.
  bool has_copies() const { return devices_ > 0; }

  /// A batch goes by its first tile. Inside a device (from messages_on() it) no link is used: its memory is
  /// far faster than all links.
  Route copy(Rank rank, const Copy& copy) const;
  /// From and to host memory, or a device's.
  Route message(Rank from_rank, Rank to_rank, MemoryPlace from = kHost, MemoryPlace to = kHost) const;
  /// Between memories and devices of a rank, or between ports of one kind; without the latency of copies and
  /// messages themselves.
  Route between(const Endpoint& from, const Endpoint& to) const;

 private:
  enum class OfRank : std::uint8_t { send, receive, local, device_send, device_receive };

  /// What a rank's messages pass: the same on all nodes.
  struct Port {
    int number = 0;  // of the node's ports
    int card = -1;   // the rank's nearest; -1: the platform has none
  };

  LinkId node_link(int node, int number) const { return node * per_node_ + number; }
  LinkId of_graph(int node, NodeGraph::Shared shared) const { return node_link(node, 1 + shared); }
  LinkId inject(int node, int port) const { return node_link(node, first_port_ + 2 * port); }
  LinkId eject(int node, int port) const { return node_link(node, first_port_ + 2 * port + 1); }
  LinkId inside(int node) const { return node_link(node, first_port_ + 2 * ports_); }
  LinkId of(Rank rank, OfRank which) const;
  LinkId up(int leaf) const { return first_leaf_ + 2 * leaf; }
  LinkId out(int group) const { return first_group_ + 2 * group; }
  LinkId pair(int from_group, int to_group) const { return first_pair_ + from_group * groups_ + to_group; }

  int nearest_card(const NodePart& from, const std::vector<int>& taken, int room) const;
  void choose_ports();
  void place_nodes();
  bool messages_pass_links(Rank from, Rank to) const;
  void set_capacities(std::uint64_t noise_seed);
  void set_fabric(const std::function<void(LinkId, double)>& set);
  NodePart part(const Endpoint& end) const;
  void add(Route& route, LinkId link) const;
  void add(Route& route, int node, const NodeGraph::Path& path) const;
  void add_port(Route& route, const Endpoint& port, bool sends) const;
  void add_fabric(Route& route, const Endpoint& from, const Endpoint& to) const;
  int leaf_of(int node, int port) const;
  int leaf_of(Rank rank) const;
  double most_of_rank(Rank rank, bool sends) const;
  void leave_out_never_full(std::vector<double>& capacities, bool sends) const;

  const Machine* machine_;
  NodeGraph graph_;
  int devices_;                    // of a rank where devices have memory of their own
  int ports_ = 1;                  // of a node
  int first_port_ = 0;             // behind a node's cores and graph
  int per_node_ = 0;               // links
  std::vector<Port> port_of_;      // by rank in its node
  std::vector<NodePlace> places_;  // by node; leaves and groups numbered as they are used
  int leaves_ = 0, groups_ = 0;
  LinkId first_leaf_ = 0, first_group_ = 0, first_pair_ = 0;
  std::vector<double> capacities_;
};

}  // namespace foretile
