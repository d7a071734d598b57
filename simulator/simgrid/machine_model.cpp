// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simgrid/machine_model.hpp"

#include <fmt/format.h>

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>

namespace foretile {

namespace sg4 = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

/// Its routes are those of MachineLinks.
class MachineModel::Zone final : public routing::NetZoneImpl {
 public:
  explicit Zone(const MachineLinks& links)
      : NetZoneImpl("machine"), links_(&links), made_(links.capacities().size(), nullptr) {}

  /// Before the zone is sealed.
  void make_links() {
    for (std::size_t id = 0; id < made_.size(); ++id) {
      if (links_->capacities()[id] > kUnlimited)
        made_[id] = new_link(fmt::format("link{}", id), links_->capacities()[id]);
    }
    free_ = new_link("free", kFree);
  }

  void name(const sg4::Host* host, const Endpoint& end) { ends_[host->get_netpoint()->id()] = end; }

  void get_local_route(const routing::NetPoint* from, const routing::NetPoint* to, routing::Route* into,
                       double* /*latency*/) override {
    const Route route = links_->between(ends_.at(from->id()), ends_.at(to->id()));
    for (const LinkId id : route.links())
      into->link_list_.push_back(made_[static_cast<std::size_t>(id)]->get_impl());
    if (route.count == 0) into->link_list_.push_back(free_->get_impl());
  }

  void get_graph(const s_xbt_graph_t* /*graph*/, std::map<std::string, xbt_node_t, std::less<>>* /*nodes*/,
                 std::map<std::string, xbt_edge_t, std::less<>>* /*edges*/) override {}

 private:
  /// Bytes per second of routes that nothing limits: SimGrid has none without a link.
  static constexpr double kFree = 1e18;

  sg4::Link* new_link(const std::string& name, double bytes_per_s) {
    return get_iface()->create_link(name, bytes_per_s)->set_latency(0)->seal();
  }

  const MachineLinks* links_;
  std::vector<sg4::Link*> made_;  // by LinkId; null where nothing limits
  sg4::Link* free_ = nullptr;
  std::map<unsigned long, Endpoint> ends_;  // by the number of the host's net point
};

MachineModel::MachineModel(sg4::Engine& engine, const Machine& machine, const MachineLinks& links)
    : machine_(&machine) {
  (void)engine;
  auto* const zone = new Zone(links);  // SimGrid's engine owns it
  const double all_cores = kHostSpeed * machine.platform.cores_per_node();
  for (int node = 0; node < machine.nodes(); ++node)
    cores_.push_back(zone->get_iface()->create_host(fmt::format("cores{}", node), all_cores)->seal());
  for (Rank rank = 0; rank < machine.ranks; ++rank) {
    for (const Endpoint& end : endpoints(rank, links.has_copies())) add(*zone, end);
  }
  zone->make_links();
  zone->get_iface()->seal();
}

std::vector<Endpoint> MachineModel::endpoints(Rank rank, bool has_copies) const {
  using Kind = Endpoint::Kind;
  std::vector<Endpoint> ends{{rank, Kind::far_port, kHost}, {rank, Kind::near_port, kHost}};
  if (!has_copies) return ends;
  const auto [first, end] = machine_->sockets_of(rank);
  for (int socket = first; socket < end; ++socket) ends.push_back({rank, Kind::memory, socket});
  for (int device = 0; device < machine_->devices_per_rank; ++device) {
    for (const Kind kind : {Kind::device, Kind::far_port, Kind::near_port})
      ends.push_back({rank, kind, device});
  }
  return ends;
}

void MachineModel::add(Zone& zone, const Endpoint& end) {
  const std::string name =
      fmt::format("{}.{}.{}", static_cast<int>(end.kind), static_cast<int>(end.rank), end.number);
  sg4::Host* const host = zone.get_iface()->create_host(name, kHostSpeed)->seal();
  zone.name(host, end);
  hosts_[key(end)] = host;
}

std::int64_t MachineModel::hosts(const Machine& machine) {
  constexpr int kPorts = 2;
  const bool has_copies = machine.platform.has_device_memory();
  const int copies = has_copies ? (1 + kPorts) * machine.devices_per_rank + machine.platform.sockets : 0;
  return machine.nodes() + static_cast<std::int64_t>(machine.ranks) * (kPorts + copies);
}

}  // namespace foretile
