// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simgrid/machine_model.hpp"

#include <fmt/format.h>

namespace foretile {

namespace sg4 = simgrid::s4u;

MachineModel::MachineModel(sg4::Engine& engine, const Machine& machine, const MachineLinks& links)
    : machine_(&machine),
      links_(&links),
      root_(sg4::create_full_zone("machine")),
      made_(links.capacities().size(), nullptr),
      ranks_(static_cast<std::size_t>(machine.ranks)) {
  (void)engine;
  const double all_cores = kHostSpeed * machine.platform.cores_per_node();
  for (int node = 0; node < machine.nodes(); ++node)
    cores_.push_back(root_->create_host(fmt::format("cores{}", node), all_cores)->seal());
  for (Rank rank = 0; links.has_copies() && rank < machine.ranks; ++rank) add_copies(rank);
  add_messages();
  root_->seal();
}

std::int64_t MachineModel::hosts(const Machine& machine) {
  constexpr int kPorts = 2;
  const bool has_copies = machine.platform.device.kind == DeviceKind::gpu;
  const int copies = has_copies ? machine.devices_per_rank + machine.platform.sockets : 0;
  return machine.nodes() + static_cast<std::int64_t>(machine.ranks) * (kPorts + copies);
}

sg4::Host* MachineModel::host(const Endpoint& end) const {
  const RankHosts& hosts = ranks_[end.rank];
  switch (end.kind) {
    case Endpoint::Kind::memory:
      return hosts.memories[static_cast<std::size_t>(end.number)];
    case Endpoint::Kind::device:
      return hosts.devices[static_cast<std::size_t>(end.number)];
    case Endpoint::Kind::far_port:
      return hosts.far_port;
    case Endpoint::Kind::near_port:
      return hosts.near_port;
  }
  return nullptr;
}

sg4::Link* MachineModel::link(LinkId id) {
  const auto number = static_cast<std::size_t>(id);
  if (!made_[number])
    made_[number] =
        root_->create_link(fmt::format("link{}", id), links_->capacities()[number])->set_latency(0)->seal();
  return made_[number];
}

void MachineModel::add_route(sg4::NetZone* zone, const sg4::Host* from, const sg4::Host* to,
                             const Route& route, Rank rank) {
  std::vector<sg4::LinkInRoute> links;
  for (const LinkId id : route.links()) links.emplace_back(link(id));
  if (links.empty() && from) {
    sg4::Link*& free = ranks_[rank].free;
    if (!free) free = root_->create_link(fmt::format("free{}", rank), 1e18)->set_latency(0)->seal();
    links.emplace_back(free);
  }
  zone->add_route(from ? from->get_netpoint() : nullptr, to ? to->get_netpoint() : nullptr, nullptr, nullptr,
                  links, false);
}

void MachineModel::add_copies(Rank rank) {
  sg4::NetZone* const zone = sg4::create_full_zone(fmt::format("rank{}", rank))->set_parent(root_);
  RankHosts& hosts = ranks_[rank];
  hosts.memories.resize(static_cast<std::size_t>(machine_->platform.sockets));
  std::vector<Endpoint> ends;
  const auto [first, end] = machine_->sockets_of(rank);
  for (int socket = first; socket < end; ++socket) {
    hosts.memories[static_cast<std::size_t>(socket)] =
        zone->create_host(fmt::format("memory{}.{}", rank, socket), kHostSpeed)->seal();
    ends.push_back({rank, Endpoint::Kind::memory, socket});
  }
  for (int device = 0; device < machine_->devices_per_rank; ++device) {
    hosts.devices.push_back(zone->create_host(fmt::format("device{}.{}", rank, device), kHostSpeed)->seal());
    ends.push_back({rank, Endpoint::Kind::device, device});
  }
  for (const Endpoint& from : ends) {
    for (const Endpoint& to : ends) {
      const bool between_memories = from.kind == Endpoint::Kind::memory && to.kind == Endpoint::Kind::memory;
      if (host(from) == host(to) || between_memories) continue;
      add_route(zone, host(from), host(to), links_->between(from, to), rank);
    }
  }
  zone->seal();
}

/// Two stars: each rank's way out of a node and into one, and its way out to its neighbours. Both ports of a
/// rank are in one zone, as nothing travels between the stars.
void MachineModel::add_messages() {
  sg4::NetZone* const zone = sg4::create_star_zone("messages")->set_parent(root_);
  for (Rank rank = 0; rank < machine_->ranks; ++rank) {
    RankHosts& hosts = ranks_[rank];
    hosts.far_port = zone->create_host(fmt::format("far{}", rank), kHostSpeed)->seal();
    hosts.near_port = zone->create_host(fmt::format("near{}", rank), kHostSpeed)->seal();
    for (const Endpoint& port :
         {Endpoint{rank, Endpoint::Kind::far_port, 0}, Endpoint{rank, Endpoint::Kind::near_port, 0}}) {
      add_route(zone, host(port), nullptr, links_->out_of(port), rank);
      add_route(zone, nullptr, host(port), links_->into(port), rank);
    }
  }
  zone->seal();
}

}  // namespace foretile
