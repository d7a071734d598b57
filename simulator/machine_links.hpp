// SPDX-License-Identifier: BSD-3-Clause
// What of a machine is shared, and which parts of it each copy and message uses.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "platforms/machine.hpp"
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
  int number = 0;  ///< of the socket or device
};

/// The links that bytes use from one end to the other, and what passes until the first byte.
struct Route {
  Endpoint from, to;
  std::array<LinkId, 8> all{};
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
///  - host -> device: the memory of the tile's socket (both directions together), the bus when the device is
///    on another socket, the limit of all devices on the device's socket, and the device's link, where
///    its figure is known together with the way back; back the same way,
///  - device -> device on one socket: a link for each ordered pair (a V100 of Summit has two NVLink bricks
///    for each of its peers and two for the CPU),
///  - device -> device across sockets: out as to the host, the bus, in as from the host, but no memory,
///  - rank -> rank: the rank's own cap and its node's injection limit on either side; inside a node a link of
///    the rank's own and one of all the node's ranks.
/// Messages share no link with copies: they do not slow down what crosses host memory. No link joins all
/// nodes: the fabric is taken as non-blocking. Links are numbered node by node; nothing takes memory by pairs
/// of ranks.
class MachineLinks {
 public:
  /// With Noise::bandwidth every link has a factor of its own, by the seed.
  explicit MachineLinks(const Machine& machine, std::uint64_t noise_seed = 1);

  /// By LinkId: bytes/s, of cores a number of cores; kUnlimited where a figure is missing.
  const std::vector<double>& capacities() const { return capacities_; }
  /// All cores of the rank's node: several ranks share them.
  LinkId cores(Rank rank) const;
  /// Whether devices have memory of their own.
  bool has_copies() const { return devices_ > 0; }

  /// A batch goes by its first tile.
  Route copy(Rank rank, const Copy& copy) const;
  Route message(Rank from_rank, Rank to_rank) const;
  /// Between memories and devices of a rank, and between ports of one kind; without latency.
  Route between(const Endpoint& from, const Endpoint& to) const;
  /// What all routes of a port have in common: the way out of the rank, or into it.
  Route out_of(const Endpoint& port) const;
  Route into(const Endpoint& port) const;

 private:
  enum class OfSocket : std::uint8_t { memory, down, up, bus };
  enum class OfRank : std::uint8_t { send, receive, local };
  enum class OfDevice : std::uint8_t { in, out, both };

  static constexpr int kOfNode = 4;  // links of a node, beside those of its sockets and ranks

  LinkId node_link(int node, int number) const { return node * per_node_ + number; }
  LinkId of(int node, int socket, OfSocket which) const;
  LinkId inject(int node) const { return node_link(node, 1 + 4 * sockets_); }
  LinkId eject(int node) const { return node_link(node, 2 + 4 * sockets_); }
  LinkId inside(int node) const { return node_link(node, 3 + 4 * sockets_); }
  LinkId rank_link(Rank rank, int number) const;
  LinkId of(Rank rank, OfRank which) const { return rank_link(rank, static_cast<int>(which)); }
  LinkId of(Rank rank, int device, OfDevice which) const {
    return rank_link(rank, 3 + 3 * device + static_cast<int>(which));
  }
  LinkId pair(Rank rank, int from, int to) const {
    return rank_link(rank, 3 + 3 * devices_ + from * devices_ + to);
  }
  int socket_of(const Endpoint& end) const;
  void set_capacities(std::uint64_t noise_seed);
  void add(Route& route, LinkId link) const;

  const Machine* machine_;
  int sockets_, devices_;    // of a node, and of a rank where devices have memory of their own
  int per_rank_, per_node_;  // links
  std::vector<double> capacities_;
};

}  // namespace foretile
