#include "simulator/machine_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.hpp"

namespace foretile {

namespace sg4 = simgrid::s4u;

namespace {

/// Links that never limit are null; a route needs at least one that is not.
void add_route(sg4::NetZone* zone, const sg4::Host* from, const sg4::Host* to,
               const std::vector<sg4::Link*>& links) {
  std::vector<sg4::LinkInRoute> route;
  for (const sg4::Link* link : links) {
    if (link) route.emplace_back(link);
  }
  zone->add_route(from ? from->get_netpoint() : nullptr, to ? to->get_netpoint() : nullptr, nullptr, nullptr,
                  route, false);
}

bool has_copies(const Machine& machine) {
  return machine.platform.device.kind == DeviceKind::gpu;
}

}  // namespace

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
  if (rank <= 0 || share < kNear * rank) return {rank, node};
  return {std::min(rank, share), 0};
}

MachineModel::MachineModel(sg4::Engine& engine, const Machine& machine)
    : machine_(&machine),
      root_(sg4::create_full_zone("machine")),
      ranks_(machine.ranks),
      copy_s_per_byte_(machine.ranks) {
  (void)engine;
  Rank rank = 0;
  for (int node = 0; node < machine.nodes(); ++node) {
    const double all_cores = kHostSpeed * machine.platform.cores_per_node();
    cores_.push_back(root_->create_host(fmt::format("cores{}", node), all_cores)->seal());
    if (!has_copies(machine)) continue;
    const std::vector<Socket> sockets = add_sockets(node);
    for (; rank < machine.ranks && machine.node_of(rank) == node; ++rank) add_copies(rank, sockets);
  }
  add_messages();
  root_->seal();
}

std::int64_t MachineModel::hosts(const Machine& machine) {
  constexpr int kPorts = 2;
  const int copies = has_copies(machine) ? machine.devices_per_rank + machine.platform.sockets : 0;
  return machine.nodes() + static_cast<std::int64_t>(machine.ranks) * (kPorts + copies);
}

sg4::Link* MachineModel::link(const std::string& name, double bandwidth) {
  return root_->create_link(name, bandwidth > 0 ? bandwidth : 1e18)->set_latency(0)->seal();
}

/// Null where a figure is missing.
sg4::Link* MachineModel::limit(const std::string& name, double bandwidth) {
  return bandwidth > 0 ? link(name, bandwidth) : nullptr;
}

double MachineModel::s_per_byte(const sg4::Host* from, const sg4::Host* to, double& known) {
  if (known > 0) return known;
  std::vector<sg4::Link*> links;
  double latency = 0;
  from->route_to(to, links, &latency);
  for (const sg4::Link* link : links) known = std::max(known, 1 / link->get_bandwidth());
  return known;
}

// ---- copies ----

std::vector<MachineModel::Socket> MachineModel::add_sockets(int node) {
  const Platform& p = machine_->platform;
  std::vector<Socket> sockets;
  for (int socket = 0; socket < p.sockets; ++socket) {
    const std::string name = fmt::format("{}.{}", node, socket);
    sockets.push_back({limit("memory" + name, p.memory_bandwidth_bytes_per_s),
                       limit("socket_down" + name, p.links.socket_host_to_device_bytes_per_s),
                       limit("socket_up" + name, p.links.socket_host_to_device_bytes_per_s),
                       limit("bus" + name, p.links.cross_socket.bandwidth_bytes_per_s)});
  }
  return sockets;
}

void MachineModel::add_copies(Rank rank, const std::vector<Socket>& sockets) {
  const Machine& m = *machine_;
  const NodeLinks& l = m.platform.links;
  sg4::NetZone* const zone = sg4::create_full_zone(fmt::format("rank{}", rank))->set_parent(root_);
  RankHosts& hosts = ranks_[rank];
  hosts.memories.resize(sockets.size());
  const std::size_t numbers = sockets.size() + static_cast<std::size_t>(m.devices_per_rank);
  copy_s_per_byte_[rank].assign(numbers * numbers, 0.0);
  const auto [first, end] = m.sockets_of(rank);
  for (int socket = first; socket < end; ++socket) {
    hosts.memories[socket] = zone->create_host(fmt::format("memory{}.{}", rank, socket), kHostSpeed)->seal();
  }
  Links in;
  Links out;
  Links both;
  for (Device d = 0; d < m.devices_per_rank; ++d) {
    const std::string name = fmt::format("{}.{}", rank, d);
    hosts.devices.push_back(zone->create_host("device" + name, kHostSpeed)->seal());
    in.push_back(link("h2d" + name, l.host_to_device.bandwidth_bytes_per_s));
    out.push_back(link("d2h" + name, l.device_to_host.bandwidth_bytes_per_s));
    both.push_back(limit("both" + name, l.both_ways_bytes_per_s));
    const int there = m.socket_of(rank, d);
    for (int here = first; here < end; ++here) {
      const bool far = here != there;
      add_route(
          zone, hosts.memories[here], hosts.devices[d],
          {sockets[here].memory, far ? sockets[here].bus : nullptr, sockets[there].down, in[d], both[d]});
      add_route(
          zone, hosts.devices[d], hosts.memories[here],
          {both[d], out[d], sockets[there].up, far ? sockets[there].bus : nullptr, sockets[here].memory});
    }
  }
  add_peers(zone, rank, sockets, {in, out, both});
  zone->seal();
}

void MachineModel::add_peers(sg4::NetZone* zone, Rank rank, const std::vector<Socket>& sockets,
                             const DeviceLinks& own) {
  const std::vector<sg4::Host*>& devices = ranks_[rank].devices;
  for (Device from = 0; from < machine_->devices_per_rank; ++from) {
    for (Device to = 0; to < machine_->devices_per_rank; ++to) {
      if (from == to) continue;
      const int here = machine_->socket_of(rank, from);
      const int there = machine_->socket_of(rank, to);
      if (here == there) {
        add_route(zone, devices[from], devices[to],
                  {link(fmt::format("peer{}.{}.{}", rank, from, to),
                        machine_->platform.links.peer.bandwidth_bytes_per_s)});
      } else {
        add_route(zone, devices[from], devices[to],
                  {own.both[from], own.out[from], sockets[here].up, sockets[here].bus, sockets[there].down,
                   own.in[to], own.both[to]});
      }
    }
  }
}

Flow MachineModel::copy(Rank rank, const Copy& copy) const {
  const NodeLinks& l = machine_->platform.links;
  const RankHosts& hosts = ranks_[rank];
  const auto socket = [&](MemoryPlace place) {
    return place == kHost ? home_socket(*machine_, rank, copy.tiles.front())
                          : machine_->socket_of(rank, Device::of(place));
  };
  const auto host = [&](MemoryPlace place, int at) {
    return place == kHost ? hosts.memories[at] : hosts.devices[place];
  };
  const int here = socket(copy.from);
  const int there = socket(copy.to);
  const double own = copy.from == kHost ? l.host_to_device.latency_s
                     : copy.to == kHost ? l.device_to_host.latency_s
                                        : l.peer.latency_s;
  const auto number = [&](MemoryPlace place, int at) {
    return static_cast<std::size_t>(place == kHost ? at : machine_->platform.sockets + place);
  };
  const std::size_t numbers = hosts.memories.size() + hosts.devices.size();
  sg4::Host* const from = host(copy.from, here);
  sg4::Host* const to = host(copy.to, there);
  return {from, to, own + (here == there ? 0 : l.cross_socket.latency_s),
          s_per_byte(from, to,
                     copy_s_per_byte_[rank][number(copy.from, here) * numbers + number(copy.to, there)])};
}

// ---- messages ----

Flow MachineModel::message(Rank from_rank, Rank to_rank) const {
  const Platform& p = machine_->platform;
  const RankHosts& from = ranks_[from_rank];
  const RankHosts& to = ranks_[to_rank];
  if (machine_->node_of(from_rank) == machine_->node_of(to_rank))
    return {from.near_port, to.near_port, p.links.message.latency_s,
            s_per_byte(from.near_port, to.near_port, near_s_per_byte_)};
  return {from.far_port, to.far_port, p.network.message.latency_s,
          s_per_byte(from.far_port, to.far_port, far_s_per_byte_)};
}

/// Two stars: each rank's way out of a node and into one, and its way out to its neighbours. Both ports of a
/// rank are in one zone, as nothing travels between the stars.
void MachineModel::add_messages() {
  const Machine& m = *machine_;
  const MessageLimits limits = message_limits(m.platform.network, m.ranks_per_node);
  sg4::NetZone* const zone = sg4::create_star_zone("messages")->set_parent(root_);
  sg4::Link* inject = nullptr;
  sg4::Link* eject = nullptr;
  for (Rank rank = 0; rank < m.ranks; ++rank) {
    if (rank % m.ranks_per_node == 0) {
      inject = limit(fmt::format("inject{}", m.node_of(rank)), limits.node_bytes_per_s);
      eject = limit(fmt::format("eject{}", m.node_of(rank)), limits.node_bytes_per_s);
    }
    RankHosts& hosts = ranks_[rank];
    hosts.far_port = zone->create_host(fmt::format("far{}", rank), kHostSpeed)->seal();
    hosts.near_port = zone->create_host(fmt::format("near{}", rank), kHostSpeed)->seal();
    add_route(zone, hosts.far_port, nullptr,
              {link(fmt::format("send{}", rank), limits.rank_bytes_per_s), inject});
    add_route(zone, nullptr, hosts.far_port,
              {eject, limit(fmt::format("receive{}", rank), limits.rank_bytes_per_s)});
    add_route(zone, hosts.near_port, nullptr,
              {link(fmt::format("local{}", rank), m.platform.links.message.bandwidth_bytes_per_s)});
    add_route(zone, nullptr, hosts.near_port, {});
  }
  zone->seal();
}

}  // namespace foretile
