// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/machine_links.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "platforms/cost/message.hpp"
#include "simulator/noise.hpp"

namespace foretile {

int home_socket(const Machine& machine, Rank rank, TileRef tile) {
  const auto [first, end] = machine.sockets_of(rank);
  if (end - first == 1) return first;
  const std::uint64_t bits = counter_bits(static_cast<std::uint64_t>(tile.matrix), tile.id);
  return first + static_cast<int>(bits % static_cast<std::uint64_t>(end - first));
}

MessageLimits message_limits(const Network& network, int ranks_per_node) {
  constexpr double kNear = 0.95;
  const double rank = network.message.bandwidth_bytes_per_s;
  const double node = network.node_injection_bytes_per_s;
  if (node <= 0) return {rank, 0};
  const double share = node / ranks_per_node;
  if (ranks_per_node == 1) return {rank > 0 ? std::min(rank, node) : node, 0};
  if (rank >= node) return {0, node};  // all that a rank sends passes the limit of its node
  if (rank <= 0 || share < kNear * rank) return {rank, node};
  return {std::min(rank, share), 0};
}

MachineLinks::MachineLinks(const Machine& machine, std::uint64_t noise_seed)
    : machine_(&machine),
      sockets_(machine.platform.sockets),
      devices_(machine.platform.device.kind == DeviceKind::gpu ? machine.devices_per_rank : 0),
      per_rank_(3 + 3 * devices_ + devices_ * devices_),
      per_node_(kOfNode + 4 * sockets_ + machine.ranks_per_node * per_rank_) {
  set_capacities(noise_seed);
}

LinkId MachineLinks::cores(Rank rank) const {
  return node_link(machine_->node_of(rank), 0);
}

LinkId MachineLinks::of(int node, int socket, OfSocket which) const {
  return node_link(node, 1 + 4 * socket + static_cast<int>(which));
}

LinkId MachineLinks::rank_link(Rank rank, int number) const {
  const int in_node = rank % machine_->ranks_per_node;
  return node_link(machine_->node_of(rank), kOfNode + 4 * sockets_ + in_node * per_rank_ + number);
}

/// All but the cores.
void MachineLinks::set_capacities(std::uint64_t noise_seed) {
  const Machine& m = *machine_;
  const Platform& p = m.platform;
  const MessageLimits limits = message_limits(p.network, m.ranks_per_node);
  capacities_.assign(static_cast<std::size_t>(m.nodes()) * static_cast<std::size_t>(per_node_), kUnlimited);
  const auto set = [&](LinkId link, double capacity) {
    const double factor =
        lasting_factor(p.noise.bandwidth, noise_seed, Noisy::link, static_cast<std::uint64_t>(link));
    capacities_[static_cast<std::size_t>(link)] = std::max(capacity * factor, kUnlimited);
  };
  for (int node = 0; node < m.nodes(); ++node) {
    capacities_[static_cast<std::size_t>(node_link(node, 0))] = p.cores_per_node();
    set(inject(node), limits.node_bytes_per_s);
    set(eject(node), limits.node_bytes_per_s);
    set(inside(node), p.links.node_message_bytes_per_s);
    for (int socket = 0; socket < sockets_; ++socket) {
      set(of(node, socket, OfSocket::memory), p.memory_bandwidth_bytes_per_s);
      set(of(node, socket, OfSocket::down), p.links.socket_host_to_device_bytes_per_s);
      set(of(node, socket, OfSocket::up), p.links.socket_host_to_device_bytes_per_s);
      set(of(node, socket, OfSocket::bus), p.links.cross_socket.bandwidth_bytes_per_s);
    }
  }
  for (Rank rank = 0; rank < m.ranks; ++rank) {
    set(of(rank, OfRank::send), limits.rank_bytes_per_s);
    set(of(rank, OfRank::receive), limits.rank_bytes_per_s);
    set(of(rank, OfRank::local), p.links.message.bandwidth_bytes_per_s);
    for (int device = 0; device < devices_; ++device) {
      set(of(rank, device, OfDevice::in), p.links.host_to_device.bandwidth_bytes_per_s);
      set(of(rank, device, OfDevice::out), p.links.device_to_host.bandwidth_bytes_per_s);
      set(of(rank, device, OfDevice::both), p.links.both_ways_bytes_per_s);
      for (int other = 0; other < devices_; ++other)
        set(pair(rank, device, other), p.links.peer.bandwidth_bytes_per_s);
    }
  }
}

void MachineLinks::add(Route& route, LinkId link) const {
  const double capacity = capacities_[static_cast<std::size_t>(link)];
  if (capacity <= kUnlimited) return;
  route.all.at(static_cast<std::size_t>(route.count++)) = link;
  route.s_per_byte = std::max(route.s_per_byte, 1 / capacity);
}

int MachineLinks::socket_of(const Endpoint& end) const {
  return end.kind == Endpoint::Kind::memory ? end.number
                                            : machine_->socket_of(end.rank, Device::of(end.number));
}

Route MachineLinks::between(const Endpoint& from, const Endpoint& to) const {
  using Kind = Endpoint::Kind;
  Route route{.from = from, .to = to};
  if (from.kind == Kind::far_port || from.kind == Kind::near_port) {
    for (const Route& half : {out_of(from), into(to)}) {
      for (const LinkId link : half.links()) add(route, link);
    }
    return route;
  }
  const int node = machine_->node_of(from.rank), here = socket_of(from), there = socket_of(to);
  if (from.kind == Kind::device && to.kind == Kind::device && here == there) {
    add(route, pair(from.rank, from.number, to.number));
    return route;
  }
  if (from.kind == Kind::memory) {
    add(route, of(node, here, OfSocket::memory));
  } else {
    add(route, of(from.rank, from.number, OfDevice::both));
    add(route, of(from.rank, from.number, OfDevice::out));
    add(route, of(node, here, OfSocket::up));
  }
  if (here != there) add(route, of(node, here, OfSocket::bus));
  if (to.kind == Kind::memory) {
    add(route, of(node, there, OfSocket::memory));
  } else {
    add(route, of(node, there, OfSocket::down));
    add(route, of(to.rank, to.number, OfDevice::in));
    add(route, of(to.rank, to.number, OfDevice::both));
  }
  return route;
}

Route MachineLinks::out_of(const Endpoint& port) const {
  Route route{.from = port, .to = port};
  if (port.kind == Endpoint::Kind::near_port) {
    add(route, of(port.rank, OfRank::local));
    add(route, inside(machine_->node_of(port.rank)));
  } else {
    add(route, of(port.rank, OfRank::send));
    add(route, inject(machine_->node_of(port.rank)));
  }
  return route;
}

Route MachineLinks::into(const Endpoint& port) const {
  Route route{.from = port, .to = port};
  if (port.kind == Endpoint::Kind::near_port) return route;
  add(route, eject(machine_->node_of(port.rank)));
  add(route, of(port.rank, OfRank::receive));
  return route;
}

Route MachineLinks::copy(Rank rank, const Copy& copy) const {
  const NodeLinks& l = machine_->platform.links;
  const auto end = [&](MemoryPlace place) {
    return place == kHost
               ? Endpoint{rank, Endpoint::Kind::memory, home_socket(*machine_, rank, copy.tiles.front())}
               : Endpoint{rank, Endpoint::Kind::device, static_cast<int>(place)};
  };
  const Endpoint from = end(copy.from), to = end(copy.to);
  Route route = between(from, to);
  route.latency_s = copy.from == kHost ? l.host_to_device.latency_s
                    : copy.to == kHost ? l.device_to_host.latency_s
                                       : l.peer.latency_s;
  if (socket_of(from) != socket_of(to)) route.latency_s += l.cross_socket.latency_s;
  return route;
}

Route MachineLinks::message(Rank from_rank, Rank to_rank) const {
  const bool near = machine_->node_of(from_rank) == machine_->node_of(to_rank);
  const Endpoint::Kind kind = near ? Endpoint::Kind::near_port : Endpoint::Kind::far_port;
  Route route = between({from_rank, kind, 0}, {to_rank, kind, 0});
  route.latency_s = message_link(machine_->platform, near).latency_s;
  return route;
}

}  // namespace foretile
