// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/machine_links.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/random.hpp"
#include "platforms/cost/message.hpp"
#include "simulator/noise.hpp"

namespace foretile {

namespace {

constexpr int kOfRank = 5;  // links of a rank: MachineLinks::OfRank

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
  if (rank >= node) return {0, node};  // all that a rank sends passes the limit of its node
  if (rank <= 0 || share < kNear * rank) return {rank, node};
  return {std::min(rank, share), 0};
}

namespace {

/// Of ranks that share a port of one or several cards. GPUs' messages may have a larger cap than others.
MessageLimits card_limits(const Machine& m) {
  const Network& network = m.platform.network;
  const Cards& cards = network.cards;
  const int free_cards = cards.shared ? cards.count : std::max(1, cards.count / m.ranks_per_node);
  return {network.message.bandwidth_bytes_per_s, cards.bytes_per_s * std::min(cards.of_rank, free_cards)};
}

}  // namespace

MachineLinks::MachineLinks(const Machine& machine, std::uint64_t noise_seed)
    : machine_(&machine),
      graph_(machine.platform, machine.ranks_per_node * machine.devices_per_rank),
      devices_(machine.platform.has_device_memory() ? machine.devices_per_rank : 0) {
  choose_ports();
  first_port_ = 1 + static_cast<int>(graph_.capacities().size());
  const int first_rank = first_port_ + 2 * ports_ + 1;
  per_node_ = first_rank + machine.ranks_per_node * kOfRank;
  place_nodes();
  first_leaf_ = machine.nodes() * per_node_;
  first_group_ = first_leaf_ + 2 * leaves_;
  first_pair_ = first_group_ + 2 * groups_;
  set_capacities(noise_seed);
}

LinkId MachineLinks::of(Rank rank, OfRank which) const {
  const int in_node = rank % machine_->ranks_per_node;
  const int first = first_port_ + 2 * ports_ + 1 + in_node * kOfRank;
  return node_link(machine_->node_of(rank), first + static_cast<int>(which));
}

namespace {

/// Device of the node that has the number of a rank's device, or its first one.
NodePart part_of(const Machine& machine, int rank_in_node, MemoryPlace place) {
  if (place == kHost) return {NodePart::Kind::host, machine.sockets_of(Rank::of(rank_in_node)).first};
  return {NodePart::Kind::device, rank_in_node * machine.devices_per_rank + place};
}

}  // namespace

/// Fewest links, then lowest number.
int MachineLinks::nearest_card(const NodePart& from, const std::vector<int>& taken, int room) const {
  int best = -1;
  for (int card = 0; card < std::ssize(taken); ++card) {
    const auto length = [&](int c) { return graph_.path(from, {NodePart::Kind::card, c}).links; };
    if (taken[static_cast<std::size_t>(card)] < room && (best < 0 || length(card) < length(best)))
      best = card;
  }
  return best;
}

/// Each rank takes the nearest card that has room, in the order of ranks. Ranks with the same card share a
/// port.
void MachineLinks::choose_ports() {
  const Machine& m = *machine_;
  const Cards& cards = m.platform.network.cards;
  const int ranks = m.ranks_per_node;
  port_of_.assign(static_cast<std::size_t>(ranks), Port{});
  if (cards.count == 0) return;
  ports_ = cards.count;
  const int room = cards.shared ? ranks : (ranks + cards.count - 1) / cards.count;
  std::vector<int> taken(static_cast<std::size_t>(cards.count), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    const int card = nearest_card(part_of(m, rank, devices_ > 0 ? 0 : kHost), taken, room);
    ++taken[static_cast<std::size_t>(card)];
    port_of_[static_cast<std::size_t>(rank)] = {card, card};
  }
}

/// Leaves and groups that the job uses, numbered as they appear.
void MachineLinks::place_nodes() {
  const Machine& m = *machine_;
  const Fabric& fabric = m.platform.fabric;
  if (fabric.type.empty()) return;
  places_ = node_places(m.platform, m.nodes());
  std::map<int, int> leaf_numbers, group_numbers;
  for (NodePlace& place : places_) {
    place.leaf = leaf_numbers.try_emplace(place.leaf, std::ssize(leaf_numbers)).first->second;
    place.group = group_numbers.try_emplace(place.group, std::ssize(group_numbers)).first->second;
  }
  leaves_ = static_cast<int>(leaf_numbers.size()) * (fabric.rails ? ports_ : 1);
  groups_ = static_cast<int>(group_numbers.size());
}

/// All but the cores.
void MachineLinks::set_capacities(std::uint64_t noise_seed) {
  const Machine& m = *machine_;
  const Platform& p = m.platform;
  const Cards& cards = p.network.cards;
  capacities_.assign(static_cast<std::size_t>(first_pair_) +
                         static_cast<std::size_t>(groups_) * static_cast<std::size_t>(groups_),
                     kUnlimited);
  const auto set = [&](LinkId link, double capacity) {
    const double factor =
        lasting_factor(p.noise.bandwidth, noise_seed, Noisy::link, static_cast<std::uint64_t>(link));
    capacities_[static_cast<std::size_t>(link)] = std::max(capacity * factor, kUnlimited);
  };
  const MessageLimits limits = cards.count > 0 ? card_limits(m) : message_limits(p.network, m.ranks_per_node);
  for (int node = 0; node < m.nodes(); ++node) {
    capacities_[static_cast<std::size_t>(node_link(node, 0))] = p.cores_per_node();
    for (std::size_t s = 0; s < graph_.capacities().size(); ++s)
      set(of_graph(node, static_cast<NodeGraph::Shared>(s)), graph_.capacities()[s]);
    for (int port = 0; port < ports_; ++port) {
      set(inject(node, port), limits.node_bytes_per_s);
      set(eject(node, port), limits.node_bytes_per_s);
    }
    set(inside(node), p.links.node_message_bytes_per_s);
  }
  for (Rank rank = 0; rank < m.ranks; ++rank) {
    set(of(rank, OfRank::send), limits.rank_bytes_per_s);
    set(of(rank, OfRank::receive), limits.rank_bytes_per_s);
    set(of(rank, OfRank::local), p.links.message.bandwidth_bytes_per_s);
    set(of(rank, OfRank::device_send), p.network.device_message.bandwidth_bytes_per_s);
    set(of(rank, OfRank::device_receive), p.network.device_message.bandwidth_bytes_per_s);
  }
  set_fabric(set);
}

void MachineLinks::set_fabric(const std::function<void(LinkId, double)>& set) {
  const Fabric& fabric = machine_->platform.fabric;
  for (int leaf = 0; leaf < leaves_; ++leaf) {
    set(up(leaf), fabric.leaf_bytes_per_s);
    set(up(leaf) + 1, fabric.leaf_bytes_per_s);
  }
  for (int group = 0; group < groups_; ++group) {
    set(out(group), fabric.group_bytes_per_s);
    set(out(group) + 1, fabric.group_bytes_per_s);
    for (int other = 0; other < groups_; ++other) {
      if (other != group) set(pair(group, other), bytes_per_s_between_groups(machine_->platform));
    }
  }
}

namespace {

/// Of a link, and the most that leads to it: what leaves it. A link that this cannot fill is left out.
double passed(double& capacity, double arriving) {
  constexpr double kRounding = 1e-12;
  if (capacity <= kUnlimited) return arriving;
  if (arriving > capacity * (1 + kRounding)) return capacity;
  capacity = kUnlimited;
  return arriving;
}

}  // namespace

/// Bytes/s of its messages to other nodes.
double MachineLinks::most_of_rank(Rank rank, bool sends) const {
  const auto most = [&](OfRank which) {
    const double capacity = capacities_[static_cast<std::size_t>(of(rank, which))];
    return capacity > kUnlimited ? capacity : std::numeric_limits<double>::infinity();
  };
  const double host = most(sends ? OfRank::send : OfRank::receive);
  if (!machine_->receives_on_devices()) return host;
  return host + most(sends ? OfRank::device_send : OfRank::device_receive);
}

std::vector<double> MachineLinks::limiting_capacities() const {
  std::vector<double> capacities = capacities_;
  leave_out_never_full(capacities, true);
  leave_out_never_full(capacities, false);
  return capacities;
}

/// From ranks to cards, leaves and groups, and pairs of these; the other way where they receive.
void MachineLinks::leave_out_never_full(std::vector<double>& capacities, bool sends) const {
  const LinkId back = sends ? 0 : 1;
  std::vector<double> arriving(capacities.size(), 0.0);
  const auto pass = [&](LinkId link) {
    const auto number = static_cast<std::size_t>(link);
    return passed(capacities[number], arriving[number]);
  };
  const auto add = [&](LinkId link, double arrives) { arriving[static_cast<std::size_t>(link)] += arrives; };
  for (Rank rank = 0; rank < machine_->ranks; ++rank) {
    const int port = port_of_[static_cast<std::size_t>(rank % machine_->ranks_per_node)].number;
    add(inject(machine_->node_of(rank), port) + back, most_of_rank(rank, sends));
  }
  std::vector<int> group_of(static_cast<std::size_t>(leaves_));
  for (int node = 0; node < machine_->nodes(); ++node) {
    for (int port = 0; port < ports_; ++port) {
      const double leaves_node = pass(inject(node, port) + back);
      if (places_.empty()) continue;
      const int leaf = leaf_of(node, port);
      group_of[static_cast<std::size_t>(leaf)] = places_[static_cast<std::size_t>(node)].group;
      add(up(leaf) + back, leaves_node);
    }
  }
  for (int leaf = 0; leaf < leaves_; ++leaf)
    add(out(group_of[static_cast<std::size_t>(leaf)]) + back, pass(up(leaf) + back));
  for (int group = 0; group < groups_; ++group) {
    const double leaves_group = pass(out(group) + back);
    for (int other = 0; other < groups_; ++other) {
      double& capacity =
          capacities[static_cast<std::size_t>(sends ? pair(group, other) : pair(other, group))];
      passed(capacity, leaves_group);
    }
  }
}

void MachineLinks::add(Route& route, LinkId link) const {
  const double capacity = capacities_[static_cast<std::size_t>(link)];
  if (capacity <= kUnlimited) return;
  route.all.at(static_cast<std::size_t>(route.count++)) = link;
  route.s_per_byte = std::max(route.s_per_byte, 1 / capacity);
}

void MachineLinks::add(Route& route, int node, const NodeGraph::Path& path) const {
  for (const NodeGraph::Shared shared : path.shared) add(route, of_graph(node, shared));
  route.latency_s += path.latency_s;
}

NodePart MachineLinks::part(const Endpoint& end) const {
  if (end.kind == Endpoint::Kind::memory) return {NodePart::Kind::host, end.number};
  return part_of(*machine_, end.rank % machine_->ranks_per_node, end.number);
}

/// The way from memory to the rank's card and out of the node, or in.
void MachineLinks::add_port(Route& route, const Endpoint& port, bool sends) const {
  const int node = machine_->node_of(port.rank);
  const Port& of_rank = port_of_[static_cast<std::size_t>(port.rank % machine_->ranks_per_node)];
  if (of_rank.card >= 0) {
    const NodePart memory = part(port), card{NodePart::Kind::card, of_rank.card};
    add(route, node, sends ? graph_.path(memory, card) : graph_.path(card, memory));
  }
  const bool host = port.number == kHost;
  add(route, of(port.rank, sends  ? host ? OfRank::send : OfRank::device_send
                           : host ? OfRank::receive
                                  : OfRank::device_receive));
  add(route, sends ? inject(node, of_rank.number) : eject(node, of_rank.number));
}

int MachineLinks::leaf_of(int node, int port) const {
  const int leaf = places_[static_cast<std::size_t>(node)].leaf;
  return machine_->platform.fabric.rails ? leaf * ports_ + port : leaf;
}

int MachineLinks::leaf_of(Rank rank) const {
  return leaf_of(machine_->node_of(rank),
                 port_of_[static_cast<std::size_t>(rank % machine_->ranks_per_node)].number);
}

void MachineLinks::add_fabric(Route& route, const Endpoint& from, const Endpoint& to) const {
  if (places_.empty()) return;
  const Fabric& fabric = machine_->platform.fabric;
  const NodePlace sender{places_[static_cast<std::size_t>(machine_->node_of(from.rank))].group,
                         leaf_of(from.rank)};
  const NodePlace receiver{places_[static_cast<std::size_t>(machine_->node_of(to.rank))].group,
                           leaf_of(to.rank)};
  route.latency_s += (switches_between(fabric, sender, receiver) - 1) * fabric.switch_latency_s;
  if (sender.leaf == receiver.leaf) return;
  add(route, up(sender.leaf));
  if (sender.group != receiver.group) {
    add(route, out(sender.group));
    add(route, pair(sender.group, receiver.group));
    add(route, out(receiver.group) + 1);
  }
  add(route, up(receiver.leaf) + 1);
}

/// Inside a node: of GPUs in host memory, which read the memory of another socket.
bool MachineLinks::messages_pass_links(Rank from, Rank to) const {
  const Platform& p = machine_->platform;
  return p.messages == "device" && p.device.in_host_memory &&
         machine_->socket_of(from, Device::of(0)) != machine_->socket_of(to, Device::of(0));
}

Route MachineLinks::between(const Endpoint& from, const Endpoint& to) const {
  using Kind = Endpoint::Kind;
  Route route{.from = from, .to = to};
  const int node = machine_->node_of(from.rank);
  if (from.kind == Kind::far_port) {
    add_port(route, from, true);
    add_fabric(route, from, to);
    add_port(route, to, false);
  } else if (from.kind == Kind::near_port && from.number == kHost && to.number == kHost &&
             !messages_pass_links(from.rank, to.rank)) {
    add(route, of(from.rank, OfRank::local));
    add(route, inside(node));
  } else {
    add(route, node, graph_.path(part(from), part(to)));
  }
  return route;
}

Route MachineLinks::copy(Rank rank, const Copy& copy) const {
  const NodeLinks& l = machine_->platform.links;
  const auto end = [&](MemoryPlace place) {
    if (place == kHost)
      return Endpoint{rank, Endpoint::Kind::memory, home_socket(*machine_, rank, copy.tiles.front())};
    return Endpoint{rank, Endpoint::Kind::device, device_of_messages(place).value_or(Device::of(place))};
  };
  const Endpoint from = end(copy.from), to = end(copy.to);
  const bool inside = from.kind == to.kind && from.number == to.number;
  Route route = inside ? Route{.from = from, .to = to} : between(from, to);
  route.latency_s += copy.from == kHost ? l.host_to_device.latency_s
                     : copy.to == kHost ? l.device_to_host.latency_s
                                        : l.peer.latency_s;
  return route;
}

Route MachineLinks::message(Rank from_rank, Rank to_rank, MemoryPlace from, MemoryPlace to) const {
  const bool near = machine_->node_of(from_rank) == machine_->node_of(to_rank);
  const Endpoint::Kind kind = near ? Endpoint::Kind::near_port : Endpoint::Kind::far_port;
  Route route = between({from_rank, kind, from}, {to_rank, kind, to});
  const bool devices = from != kHost && to != kHost;
  route.latency_s += devices ? machine_->platform.network.device_message.latency_s
                             : message_link(machine_->platform, near).latency_s;
  return route;
}

}  // namespace foretile
