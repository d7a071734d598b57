#include "simulator/machine_model.hpp"

#include <fmt/format.h>

#include <limits>

namespace foretile {

namespace sg4 = simgrid::s4u;

namespace {

/// A missing figure means that the link never limits.
double capacity(double bytes_per_s) {
  return bytes_per_s > 0 ? bytes_per_s : 1e18;
}

}  // namespace

MachineModel::MachineModel(sg4::Engine& engine, const Machine& machine)
    : machine_(&machine), zone_(sg4::create_full_zone("machine")) {
  (void)engine;
  add_hosts();
  for (int node = 0; node < machine.nodes(); ++node) add_device_routes(node);
  add_message_routes();
  zone_->seal();
}

sg4::Link* MachineModel::link(const std::string& name, double bandwidth) {
  return zone_->create_link(name, capacity(bandwidth))->set_latency(0)->seal();
}

double MachineModel::copy_latency(int rank, MemoryPlace from, MemoryPlace to) const {
  const NodeLinks& l = machine_->platform.links;
  const auto socket = [&](MemoryPlace place) {
    return machine_->socket_of(rank, place == kHost ? 0 : place);
  };
  const double bus = socket(from) == socket(to) ? 0 : l.cross_socket.latency_s;
  if (from == kHost) return l.host_to_device.latency_s + bus;
  if (to == kHost) return l.device_to_host.latency_s + bus;
  return l.peer.latency_s + bus;
}

double MachineModel::message_latency(int from_rank, int to_rank) const {
  const Platform& p = machine_->platform;
  return machine_->node_of(from_rank) == machine_->node_of(to_rank) ? p.links.message.latency_s
                                                                    : p.network.message.latency_s;
}

void MachineModel::route(sg4::Host* from, sg4::Host* to, const Route& links) {
  zone_->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, links, false);
}

void MachineModel::add_hosts() {
  const Machine& m = *machine_;
  for (int node = 0; node < m.nodes(); ++node) {
    cores_.push_back(zone_->create_host(fmt::format("cores{}", node), kHostSpeed)
                         ->set_core_count(m.platform.cores_per_node())
                         ->seal());
    bus_.emplace_back();
    for (int socket = 0; socket < m.platform.sockets; ++socket) {
      const LinkModel& bus = m.platform.links.cross_socket;
      bus_.back().push_back(link(fmt::format("bus{}.{}", node, socket), bus.bandwidth_bytes_per_s));
    }
  }
  for (int rank = 0; rank < m.ranks; ++rank) {
    memories_.push_back(zone_->create_host(fmt::format("memory{}", rank), kHostSpeed)->seal());
    devices_.emplace_back();
    for (int d = 0; d < m.devices_per_rank; ++d) {
      const std::string name = fmt::format("{}.{}", rank, d);
      devices_.back().push_back(zone_->create_host("device" + name, kHostSpeed)->seal());
    }
  }
}

MachineModel::Route MachineModel::between_sockets(int node, int from, int to) const {
  if (from == to) return {};
  return {sg4::LinkInRoute(bus_[node][from])};
}

void MachineModel::add_device_routes(int node) {
  const Machine& m = *machine_;
  const NodeLinks& l = m.platform.links;
  std::vector<sg4::Link*> down;
  std::vector<sg4::Link*> up;
  for (int socket = 0; socket < m.platform.sockets; ++socket) {
    const std::string name = fmt::format("{}.{}", node, socket);
    down.push_back(link("socket_down" + name, l.socket_host_to_device_bytes_per_s));
    up.push_back(link("socket_up" + name, l.socket_host_to_device_bytes_per_s));
  }
  for (int rank = 0; rank < m.ranks; ++rank) {
    if (m.node_of(rank) != node) continue;
    const int home = m.socket_of(rank, 0);
    std::vector<sg4::Link*> out;
    std::vector<sg4::Link*> in;
    for (int d = 0; d < m.devices_per_rank; ++d) {
      const int socket = m.socket_of(rank, d);
      const std::string name = fmt::format("{}.{}", rank, d);
      Route load{sg4::LinkInRoute(link("h2d" + name, l.host_to_device.bandwidth_bytes_per_s)),
                 sg4::LinkInRoute(down[socket])};
      Route store{sg4::LinkInRoute(link("d2h" + name, l.device_to_host.bandwidth_bytes_per_s)),
                  sg4::LinkInRoute(up[socket])};
      for (const auto& hop : between_sockets(node, home, socket)) load.push_back(hop);
      for (const auto& hop : between_sockets(node, socket, home)) store.push_back(hop);
      route(memory(rank), device(rank, d), load);
      route(device(rank, d), memory(rank), store);
      out.push_back(link("out" + name, l.peer.bandwidth_bytes_per_s));
      in.push_back(link("in" + name, l.peer.bandwidth_bytes_per_s));
    }
    for (int from = 0; from < m.devices_per_rank; ++from) {
      for (int to = 0; to < m.devices_per_rank; ++to) {
        if (from == to) continue;
        Route peer{sg4::LinkInRoute(out[from]), sg4::LinkInRoute(in[to])};
        for (const auto& hop : between_sockets(node, m.socket_of(rank, from), m.socket_of(rank, to)))
          peer.push_back(hop);
        route(device(rank, from), device(rank, to), peer);
      }
    }
  }
}

void MachineModel::add_message_routes() {
  const Machine& m = *machine_;
  const Network& net = m.platform.network;
  const LinkModel& inside = m.platform.links.message;
  std::vector<sg4::Link*> inject;
  std::vector<sg4::Link*> eject;
  for (int node = 0; node < m.nodes(); ++node) {
    inject.push_back(link(fmt::format("inject{}", node), net.node_injection_bytes_per_s));
    eject.push_back(link(fmt::format("eject{}", node), net.node_injection_bytes_per_s));
  }
  std::vector<sg4::Link*> send;
  std::vector<sg4::Link*> receive;
  std::vector<sg4::Link*> local;
  for (int rank = 0; rank < m.ranks; ++rank) {
    send.push_back(link(fmt::format("send{}", rank), net.message.bandwidth_bytes_per_s));
    receive.push_back(link(fmt::format("receive{}", rank), net.message.bandwidth_bytes_per_s));
    local.push_back(link(fmt::format("local{}", rank), inside.bandwidth_bytes_per_s));
  }
  for (int from = 0; from < m.ranks; ++from) {
    for (int to = 0; to < m.ranks; ++to) {
      if (from == to) continue;
      if (m.node_of(from) == m.node_of(to)) {
        route(memory(from), memory(to), {sg4::LinkInRoute(local[from])});
      } else {
        route(memory(from), memory(to),
              {sg4::LinkInRoute(send[from]), sg4::LinkInRoute(inject[m.node_of(from)]),
               sg4::LinkInRoute(eject[m.node_of(to)]), sg4::LinkInRoute(receive[to])});
      }
    }
  }
}

}  // namespace foretile
