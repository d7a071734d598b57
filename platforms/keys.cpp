// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/keys.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/limits.hpp"

namespace foretile {

namespace {

using Slots = std::vector<Slot>;
constexpr std::string_view kAnyName = "*";
constexpr std::string_view kLinks = "link.";
using SlotsOf = std::function<Slots(Platform&)>;
constexpr double most_bytes = 1e15;    // per socket or device
constexpr double most_rate = 1e18;     // B/s or flop/s
constexpr double most_latency = 3600;  // s
constexpr double most_half = 1e6;

constexpr double most_sockets = 8;
constexpr double most_in_socket = 1024;
constexpr double most_ranks = 10000;

PlatformKey count(std::string path, double most, SlotsOf slots) {
  return {std::move(path), Dimension::number, 1, most, Presence::always, std::move(slots)};
}

PlatformKey bytes(std::string path, SlotsOf slots) {
  return {std::move(path), Dimension::bytes, 1, most_bytes, Presence::always, std::move(slots)};
}

PlatformKey bandwidth(std::string path, Presence presence, SlotsOf slots) {
  return {std::move(path), Dimension::bytes_per_s, 1, most_rate, presence, std::move(slots)};
}

PlatformKey latency(std::string path, Presence presence, SlotsOf slots) {
  return {std::move(path), Dimension::seconds, 0, most_latency, presence, std::move(slots)};
}

PlatformKey number(std::string path, double low, double high, Presence presence, SlotsOf slots) {
  return {std::move(path), Dimension::number, low, high, presence, std::move(slots)};
}

PlatformKey other(std::string path, Presence presence, SlotsOf slots) {
  return {std::move(path), Dimension::number, 0, 0, presence, std::move(slots)};
}

void add_node(std::vector<PlatformKey>& keys) {
  keys.push_back(other("name", Presence::always, [](Platform& p) { return Slots{&p.name}; }));
  keys.push_back(other("estimated", Presence::optional, [](Platform& p) { return Slots{&p.estimated}; }));
  keys.push_back(count("nodes", kMostNodes, [](Platform& p) { return Slots{&p.nodes}; }));
  keys.push_back(count("sockets_per_node", most_sockets, [](Platform& p) { return Slots{&p.sockets}; }));
  keys.push_back(count("ranks_per_node", most_ranks, [](Platform& p) { return Slots{&p.ranks_per_node}; }));
  keys.push_back(other("messages", Presence::optional_gpu, [](Platform& p) { return Slots{&p.messages}; }));
  keys.push_back(
      other("pretend_nodes", Presence::optional, [](Platform& p) { return Slots{&p.pretend_nodes}; }));
  keys.push_back(
      count("socket.cores", most_in_socket, [](Platform& p) { return Slots{&p.cores_per_socket}; }));
  keys.push_back(number("socket.solo_speedup", 1, most_in_socket, Presence::optional,
                        [](Platform& p) { return Slots{&p.solo_speedup}; }));
  keys.push_back(
      count("socket.devices", most_in_socket, [](Platform& p) { return Slots{&p.devices_per_socket}; }));
  keys.push_back(bytes("socket.memory", [](Platform& p) { return Slots{&p.memory_bytes_per_socket}; }));
  keys.push_back(bandwidth("socket.memory_bandwidth", Presence::always,
                           [](Platform& p) { return Slots{&p.memory_bandwidth_bytes_per_s}; }));
  keys.push_back(bandwidth("socket.device_bandwidth", Presence::only_gpu,
                           [](Platform& p) { return Slots{&p.links.socket_host_to_device_bytes_per_s}; }));
}

template <DeviceModel Platform::*device, KernelModel DeviceModel::*curve, std::size_t index>
void add_factor(std::vector<PlatformKey>& keys, const std::string& table, Presence presence) {
  keys.push_back(number(table + ".factor_" + std::to_string(kFactorSizes[index]), 1e-3, 1e3, presence,
                        [](Platform& p) { return Slots{&(p.*device.*curve).factors[index]}; }));
}

/// Where the curve's measured times are not on it.
template <DeviceModel Platform::*device, KernelModel DeviceModel::*curve, std::size_t... index>
void add_factors(std::vector<PlatformKey>& keys, const std::string& table, Presence presence,
                 std::index_sequence<index...>) {
  (add_factor<device, curve, index>(keys, table, presence), ...);
}

template <DeviceModel Platform::*device, KernelModel DeviceModel::*curve>
void add_curve(std::vector<PlatformKey>& keys, const std::string& table, Presence presence) {
  keys.push_back({table + ".rate", Dimension::flops_per_s, 1, most_rate, presence,
                  [](Platform& p) { return Slots{&(p.*device.*curve).rate_flops_per_s}; }});
  keys.push_back(number(table + ".half_m", 0, most_half, presence,
                        [](Platform& p) { return Slots{&(p.*device.*curve).half_m}; }));
  keys.push_back(number(table + ".half_n", 0, most_half, presence,
                        [](Platform& p) { return Slots{&(p.*device.*curve).half_n}; }));
  keys.push_back(number(table + ".half_k", 0, most_half, presence,
                        [](Platform& p) { return Slots{&(p.*device.*curve).half_k}; }));
  keys.push_back(latency(table + ".latency", presence,
                         [](Platform& p) { return Slots{&(p.*device.*curve).latency_s}; }));
  const bool any = presence == Presence::always || presence == Presence::with_table;
  const Presence optional = any ? Presence::optional : Presence::optional_gpu;
  keys.push_back({table + ".points", Dimension::flops_per_s, 1, most_rate, optional,
                  [](Platform& p) { return Slots{&(p.*device.*curve).points}; }});
  keys.push_back(number(table + ".complex_factor", 0.1, 10, optional,
                        [](Platform& p) { return Slots{&(p.*device.*curve).complex_factor}; }));
  add_factors<device, curve>(keys, table, optional, std::make_index_sequence<kFactorSizes.size()>());
}

template <std::size_t... index>
void add_cache_factors(std::vector<PlatformKey>& keys, std::index_sequence<index...>) {
  (keys.push_back(number("device.cache.factor_" + std::to_string(kFactorSizes[index]), 1e-2, 1,
                         Presence::optional_core,
                         [](Platform& p) { return Slots{&p.device.cache.factors[index]}; })),
   ...);
}

template <std::size_t... index>
void add_cache_kept(std::vector<PlatformKey>& keys, std::index_sequence<index...>) {
  (keys.push_back(number("device.cache.kept_" + std::to_string(kReuseDistances[index]), 0, 1,
                         Presence::optional_core,
                         [](Platform& p) { return Slots{&p.device.cache.kept[index]}; })),
   ...);
}

void add_cache(std::vector<PlatformKey>& keys) {
  PlatformKey size = bytes("device.cache.size", [](Platform& p) { return Slots{&p.device.cache.bytes}; });
  size.presence = Presence::optional_core;
  keys.push_back(size);
  add_cache_factors(keys, std::make_index_sequence<kFactorSizes.size()>());
  add_cache_kept(keys, std::make_index_sequence<kReuseDistances.size()>());
}

void add_device(std::vector<PlatformKey>& keys) {
  keys.push_back(other("device.kind", Presence::always, [](Platform& p) { return Slots{&p.device.kind}; }));
  keys.push_back(bytes("device.memory", [](Platform& p) { return Slots{&p.device.memory_bytes}; }));
  keys.push_back(other("device.in_host_memory", Presence::optional_gpu,
                       [](Platform& p) { return Slots{&p.device.in_host_memory}; }));
  add_curve<&Platform::device, &DeviceModel::kernel>(keys, "device.kernel", Presence::always);
  keys.push_back(number("device.kernel.streams", 1, 1000, Presence::always, [](Platform& p) {
    DeviceModel& d = p.device;
    Slots slots;
    for (KernelModel* const curve : d.curves()) slots.emplace_back(&curve->streams);
    return slots;
  }));
  add_curve<&Platform::device, &DeviceModel::batched>(keys, "device.batched", Presence::gpu_with_table);
  add_curve<&Platform::device, &DeviceModel::single>(keys, "device.single", Presence::with_table);
  add_curve<&Platform::device, &DeviceModel::single_batched>(keys, "device.single_batched",
                                                             Presence::gpu_with_table);
  keys.push_back(other("device.arithmetic", Presence::optional_gpu,
                       [](Platform& p) { return Slots{&p.device.arithmetic}; }));
  add_curve<&Platform::device, &DeviceModel::vector>(keys, "device.vector", Presence::gpu_with_table);
  add_curve<&Platform::device, &DeviceModel::emulated>(keys, "device.emulated", Presence::gpu_with_table);
  keys.push_back(number("device.speeds", 0.01, 1, Presence::optional,
                        [](Platform& p) { return Slots{&p.device_speeds}; }));
  add_cache(keys);
}

/// Cores that compute beside GPUs.
void add_core(std::vector<PlatformKey>& keys) {
  add_curve<&Platform::core, &DeviceModel::kernel>(keys, "core.kernel", Presence::gpu_with_table);
  add_curve<&Platform::core, &DeviceModel::single>(keys, "core.single", Presence::gpu_with_table);
}

void add_device_link(std::vector<PlatformKey>& keys, const std::string& table) {
  keys.push_back(latency(table + ".latency", Presence::only_gpu, [](Platform& p) {
    return Slots{&p.links.host_to_device.latency_s, &p.links.device_to_host.latency_s};
  }));
  keys.push_back(bandwidth(table + ".bandwidth", Presence::only_gpu, [](Platform& p) {
    return Slots{&p.links.host_to_device.bandwidth_bytes_per_s,
                 &p.links.device_to_host.bandwidth_bytes_per_s};
  }));
  keys.push_back(bandwidth(table + ".h2d_bandwidth", Presence::only_gpu,
                           [](Platform& p) { return Slots{&p.links.host_to_device.bandwidth_bytes_per_s}; }));
  keys.push_back(bandwidth(table + ".d2h_bandwidth", Presence::only_gpu,
                           [](Platform& p) { return Slots{&p.links.device_to_host.bandwidth_bytes_per_s}; }));
  keys.push_back(bandwidth(table + ".both_bandwidth", Presence::optional_gpu,
                           [](Platform& p) { return Slots{&p.links.both_ways_bytes_per_s}; }));
}

void add_links(std::vector<PlatformKey>& keys) {
  for (const std::string& table : device_link_tables()) add_device_link(keys, table);
  keys.push_back(latency("peer.latency", Presence::gpu_peers,
                         [](Platform& p) { return Slots{&p.links.peer.latency_s}; }));
  keys.push_back(bandwidth("peer.bandwidth", Presence::gpu_peers,
                           [](Platform& p) { return Slots{&p.links.peer.bandwidth_bytes_per_s}; }));
  keys.push_back(latency("xbus.latency", Presence::gpu_sockets,
                         [](Platform& p) { return Slots{&p.links.cross_socket.latency_s}; }));
  keys.push_back(bandwidth("xbus.bandwidth", Presence::gpu_sockets,
                           [](Platform& p) { return Slots{&p.links.cross_socket.bandwidth_bytes_per_s}; }));
  keys.push_back(latency("copy.latency", Presence::gpu_tables, [](Platform& p) {
    return Slots{&p.links.host_to_device.latency_s, &p.links.device_to_host.latency_s,
                 &p.links.peer.latency_s};
  }));
  keys.push_back(latency("copy.peer_latency", Presence::optional_gpu,
                         [](Platform& p) { return Slots{&p.links.peer.latency_s}; }));
  keys.push_back(latency("message.latency", Presence::always,
                         [](Platform& p) { return Slots{&p.links.message.latency_s}; }));
  keys.push_back(bandwidth("message.bandwidth", Presence::always,
                           [](Platform& p) { return Slots{&p.links.message.bandwidth_bytes_per_s}; }));
  keys.push_back(bandwidth("message.node_bandwidth", Presence::optional,
                           [](Platform& p) { return Slots{&p.links.node_message_bytes_per_s}; }));
  keys.push_back(latency("network.latency", Presence::cluster,
                         [](Platform& p) { return Slots{&p.network.message.latency_s}; }));
  keys.push_back(bandwidth("network.bandwidth", Presence::cluster,
                           [](Platform& p) { return Slots{&p.network.message.bandwidth_bytes_per_s}; }));
  keys.push_back(bandwidth("network.node_bandwidth", Presence::cluster,
                           [](Platform& p) { return Slots{&p.network.node_injection_bytes_per_s}; }));
}

/// The table with that name; a platform without one gets it.
LinkTable& link_table(Platform& p, const std::string& name) {
  auto& tables = p.links.tables;
  const auto found = std::ranges::find(tables, name, &LinkTable::name);
  return found == tables.end() ? tables.emplace_back(LinkTable{.name = name}) : *found;
}

SlotsOf of_link(const std::string& name, const std::vector<double LinkTable::*>& members) {
  return [=](Platform& p) {
    Slots slots;
    LinkTable& table = link_table(p, name);
    for (double LinkTable::*const member : members) slots.emplace_back(&(table.*member));
    return slots;
  };
}

/// Of one link and, with "all_", of all links of the table together. `bandwidth` is of either direction, and
/// the keys behind it change one.
void add_bandwidths(std::vector<PlatformKey>& keys, const std::string& name, const std::string& which,
                    Presence presence, std::array<double LinkTable::*, 3> members) {
  const std::string table = "link." + name + "." + which;
  const auto [there, back, both] = members;
  keys.push_back(bandwidth(table + "bandwidth", presence, of_link(name, {there, back})));
  keys.push_back(bandwidth(table + "back_bandwidth", Presence::optional, of_link(name, {back})));
  keys.push_back(bandwidth(table + "both_bandwidth", Presence::optional, of_link(name, {both})));
}

/// A table [link.NAME] (platforms/node_graph.hpp).
void add_link_table(std::vector<PlatformKey>& keys, const std::string& name) {
  keys.push_back(other("link." + name + ".between", Presence::with_table,
                       [name](Platform& p) { return Slots{&link_table(p, name).between}; }));
  keys.push_back(
      latency("link." + name + ".latency", Presence::optional, of_link(name, {&LinkTable::latency_s})));
  add_bandwidths(keys, name, "", Presence::with_table,
                 {&LinkTable::bytes_per_s, &LinkTable::back_bytes_per_s, &LinkTable::both_bytes_per_s});
  add_bandwidths(
      keys, name, "all_", Presence::optional,
      {&LinkTable::all_bytes_per_s, &LinkTable::all_back_bytes_per_s, &LinkTable::all_both_bytes_per_s});
}

/// Network cards, and what joins the nodes.
void add_fabric(std::vector<PlatformKey>& keys) {
  keys.push_back(latency("network.device_latency", Presence::optional_gpu,
                         [](Platform& p) { return Slots{&p.network.device_message.latency_s}; }));
  keys.push_back(bandwidth("network.device_bandwidth", Presence::optional_gpu, [](Platform& p) {
    return Slots{&p.network.device_message.bandwidth_bytes_per_s};
  }));
  keys.push_back(
      latency("network.gap", Presence::optional, [](Platform& p) { return Slots{&p.network.gap_s}; }));
  PlatformKey rendezvous =
      bytes("network.rendezvous", [](Platform& p) { return Slots{&p.network.rendezvous_bytes}; });
  rendezvous.presence = Presence::optional;
  keys.push_back(std::move(rendezvous));
  keys.push_back(number("network.cards", 1, most_in_socket, Presence::optional,
                        [](Platform& p) { return Slots{&p.network.cards.count}; }));
  keys.push_back(bandwidth("network.card_bandwidth", Presence::with_cards,
                           [](Platform& p) { return Slots{&p.network.cards.bytes_per_s}; }));
  keys.push_back(number("network.cards_per_rank", 1, most_in_socket, Presence::optional,
                        [](Platform& p) { return Slots{&p.network.cards.of_rank}; }));
  keys.push_back(other("network.cards_shared", Presence::optional,
                       [](Platform& p) { return Slots{&p.network.cards.shared}; }));
  keys.push_back(
      other("fabric.type", Presence::with_table, [](Platform& p) { return Slots{&p.fabric.type}; }));
  keys.push_back(number("fabric.leaf_nodes", 1, kMostNodes, Presence::optional,
                        [](Platform& p) { return Slots{&p.fabric.leaf_nodes}; }));
  keys.push_back(bandwidth("fabric.leaf_bandwidth", Presence::optional,
                           [](Platform& p) { return Slots{&p.fabric.leaf_bytes_per_s}; }));
  keys.push_back(number("fabric.group_nodes", 1, kMostNodes, Presence::optional,
                        [](Platform& p) { return Slots{&p.fabric.group_nodes}; }));
  keys.push_back(bandwidth("fabric.group_bandwidth", Presence::optional,
                           [](Platform& p) { return Slots{&p.fabric.group_bytes_per_s}; }));
  keys.push_back(bandwidth("fabric.pair_bandwidth", Presence::optional,
                           [](Platform& p) { return Slots{&p.fabric.pair_bytes_per_s}; }));
  keys.push_back(
      other("fabric.adaptive", Presence::optional, [](Platform& p) { return Slots{&p.fabric.adaptive}; }));
  keys.push_back(
      other("fabric.rails", Presence::optional, [](Platform& p) { return Slots{&p.fabric.rails}; }));
  keys.push_back(latency("fabric.switch_latency", Presence::optional,
                         [](Platform& p) { return Slots{&p.fabric.switch_latency_s}; }));
  keys.push_back(
      other("fabric.placement", Presence::optional, [](Platform& p) { return Slots{&p.fabric.placement}; }));
}

void add_software(std::vector<PlatformKey>& keys) {
  keys.push_back(bandwidth("generation.rate", Presence::always,
                           [](Platform& p) { return Slots{&p.generation_bytes_per_s_per_core}; }));
  PlatformKey cores_of_tile = count("generation.cores_of_tile", most_in_socket,
                                    [](Platform& p) { return Slots{&p.most_cores_per_generated_tile}; });
  cores_of_tile.presence = Presence::optional;
  keys.push_back(std::move(cores_of_tile));
  keys.push_back(bandwidth("generation.device_rate", Presence::optional_gpu,
                           [](Platform& p) { return Slots{&p.generation_bytes_per_s_on_device}; }));
  keys.push_back(bandwidth("file.bandwidth", Presence::optional,
                           [](Platform& p) { return Slots{&p.file_bytes_per_s_per_node}; }));
  keys.push_back(bandwidth("file.core_rate", Presence::optional,
                           [](Platform& p) { return Slots{&p.file_bytes_per_s_per_core}; }));
  keys.push_back(bandwidth("addition.rate", Presence::optional,
                           [](Platform& p) { return Slots{&p.addition_bytes_per_s_per_core}; }));
  keys.push_back(bandwidth("addition.cached_rate", Presence::optional_core,
                           [](Platform& p) { return Slots{&p.cached_addition_bytes_per_s_per_core}; }));
  keys.push_back(bandwidth("addition.permuted_rate", Presence::optional,
                           [](Platform& p) { return Slots{&p.permuted_addition_bytes_per_s_per_core}; }));
  keys.push_back(
      other("runtime.source", Presence::optional, [](Platform& p) { return Slots{&p.runtime.source}; }));
  keys.push_back(latency("runtime.copy_overhead", Presence::optional,
                         [](Platform& p) { return Slots{&p.runtime.copy_overhead_s}; }));
  keys.push_back(bandwidth("runtime.unpinned_initial", Presence::optional_gpu,
                           [](Platform& p) { return Slots{&p.runtime.unpinned.initial_bytes_per_s}; }));
  keys.push_back(bandwidth("runtime.unpinned_received", Presence::optional_gpu,
                           [](Platform& p) { return Slots{&p.runtime.unpinned.received_bytes_per_s}; }));
  keys.push_back(bandwidth("runtime.unpinned_made", Presence::optional_gpu,
                           [](Platform& p) { return Slots{&p.runtime.unpinned.generated_bytes_per_s}; }));
  keys.push_back(bandwidth("runtime.unpinned_array", Presence::optional_gpu,
                           [](Platform& p) { return Slots{&p.runtime.unpinned.array_bytes_per_s}; }));
  keys.push_back(latency("runtime.message_overhead", Presence::optional,
                         [](Platform& p) { return Slots{&p.runtime.message_overhead_s}; }));
  keys.push_back(latency("runtime.operation_overhead", Presence::optional_core,
                         [](Platform& p) { return Slots{&p.runtime.operation_overhead_s}; }));
  keys.push_back(latency("runtime.product_overhead", Presence::optional,
                         [](Platform& p) { return Slots{&p.runtime.product_overhead_s}; }));
  keys.push_back(latency("runtime.shared_product_overhead", Presence::optional,
                         [](Platform& p) { return Slots{&p.runtime.shared_product_overhead_s}; }));
  keys.push_back(latency("runtime.load_overhead", Presence::optional_core,
                         [](Platform& p) { return Slots{&p.runtime.load_overhead_s}; }));
  keys.push_back(latency("runtime.store_overhead", Presence::optional_core,
                         [](Platform& p) { return Slots{&p.runtime.store_overhead_s}; }));
  keys.push_back(latency("runtime.look_overhead", Presence::optional_core,
                         [](Platform& p) { return Slots{&p.runtime.look_overhead_s}; }));
  keys.push_back(latency("runtime.polling_delay", Presence::optional_core,
                         [](Platform& p) { return Slots{&p.runtime.polling_delay_s}; }));
  keys.push_back(bandwidth("runtime.message_copy_rate", Presence::optional,
                           [](Platform& p) { return Slots{&p.runtime.message_copy_bytes_per_s}; }));
  keys.push_back(bandwidth("tamm.get_bandwidth", Presence::optional,
                           [](Platform& p) { return Slots{&p.tamm.get_bytes_per_s}; }));
  keys.push_back(bandwidth("tamm.served_bandwidth", Presence::optional,
                           [](Platform& p) { return Slots{&p.tamm.served_bytes_per_s}; }));
  keys.push_back(bandwidth("tamm.host_bandwidth", Presence::optional,
                           [](Platform& p) { return Slots{&p.tamm.host_bytes_per_s}; }));
  keys.push_back(
      number("noise.kernel", 0, 1, Presence::optional, [](Platform& p) { return Slots{&p.noise.kernel}; }));
  keys.push_back(
      number("noise.link", 0, 1, Presence::optional, [](Platform& p) { return Slots{&p.noise.link}; }));
  keys.push_back(
      number("noise.device", 0, 1, Presence::optional, [](Platform& p) { return Slots{&p.noise.device}; }));
  keys.push_back(
      number("noise.node", 0, 1, Presence::optional, [](Platform& p) { return Slots{&p.noise.node}; }));
  keys.push_back(number("noise.bandwidth", 0, 1, Presence::optional,
                        [](Platform& p) { return Slots{&p.noise.bandwidth}; }));
  keys.push_back(
      number("noise.model", 0, 1, Presence::optional, [](Platform& p) { return Slots{&p.noise.model}; }));
}

void add_calibration(std::vector<PlatformKey>& keys) {
  keys.push_back(number("calibration.core_share", 0, 1, Presence::optional,
                        [](Platform& p) { return Slots{&p.calibration.core_share}; }));
  keys.push_back(other("calibration.stable", Presence::optional,
                       [](Platform& p) { return Slots{&p.calibration.stable}; }));
  keys.push_back(number("calibration.error", 0, 1, Presence::optional,
                        [](Platform& p) { return Slots{&p.calibration.error}; }));
  keys.push_back({"calibration.probe_rate", Dimension::flops_per_s, 1, most_rate, Presence::optional,
                  [](Platform& p) { return Slots{&p.calibration.probe_flops_per_s}; }});
  keys.push_back(other("calibration.kernels", Presence::optional,
                       [](Platform& p) { return Slots{&p.calibration.kernels}; }));
}

PlatformKey watts(std::string path, Presence presence, SlotsOf slots) {
  return {std::move(path), Dimension::watts, 0, 1e6, presence, std::move(slots)};
}

void add_power(std::vector<PlatformKey>& keys) {
  keys.push_back(watts("power.device_idle", Presence::optional_gpu,
                       [](Platform& p) { return Slots{&p.power.device_idle_w}; }));
  keys.push_back(watts("power.device_busy", Presence::optional_gpu,
                       [](Platform& p) { return Slots{&p.power.device_busy_w}; }));
  keys.push_back(watts("power.node_idle", Presence::with_table,
                       [](Platform& p) { return Slots{&p.power.node_idle_w}; }));
  keys.push_back(watts("power.node_busy", Presence::with_table,
                       [](Platform& p) { return Slots{&p.power.node_busy_w}; }));
}

std::vector<PlatformKey> all_keys() {
  std::vector<PlatformKey> keys;
  add_node(keys);
  add_device(keys);
  add_core(keys);
  add_links(keys);
  add_link_table(keys, std::string(kAnyName));
  add_fabric(keys);
  add_software(keys);
  add_power(keys);
  add_calibration(keys);
  return keys;
}

}  // namespace

const std::vector<PlatformKey>& platform_keys() {
  static const std::vector<PlatformKey> keys = all_keys();
  return keys;
}

std::vector<PlatformKey> keys_of(const Platform& platform) {
  std::vector<std::string> names;
  for (const LinkTable& table : platform.links.tables) names.push_back(table.name);
  return keys_with(names);
}

std::vector<PlatformKey> keys_with(const std::vector<std::string>& link_names) {
  std::vector<PlatformKey> keys;
  bool linked = false;
  for (const PlatformKey& key : platform_keys()) {
    if (!key.path.starts_with(kLinks)) {
      keys.push_back(key);
    } else if (!std::exchange(linked, true)) {
      for (const std::string& name : link_names) add_link_table(keys, name);
    }
  }
  return keys;
}

namespace {

const PlatformKey* find_in(const std::vector<PlatformKey>& keys, std::string_view path) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.path == path; });
  return found == keys.end() ? nullptr : &*found;
}

/// "link.NAME.KEY"; the keys of a name are made once.
const PlatformKey* find_link_key(std::string_view path) {
  const std::string_view rest = path.substr(kLinks.size());
  const std::string name(rest.substr(0, rest.find('.')));
  if (name.empty() || name.size() == rest.size()) return nullptr;
  static std::mutex mutex;
  static std::map<std::string, std::vector<PlatformKey>> made;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = made.try_emplace(name);
  if (is_new) add_link_table(entry->second, name);
  return find_in(entry->second, path);
}

}  // namespace

const PlatformKey* find_platform_key(std::string_view path) {
  return path.starts_with(kLinks) ? find_link_key(path) : find_in(platform_keys(), path);
}

bool has_free_names(std::string_view table) {
  return table == kLinks;
}

std::vector<std::string> names_in_table(std::string_view table) {
  std::string pattern(table);
  if (table.starts_with(kLinks) && table.size() > kLinks.size())
    pattern = std::string(kLinks) + std::string(kAnyName) + pattern.substr(pattern.find('.', kLinks.size()));
  std::vector<std::string> names;
  for (const PlatformKey& key : platform_keys()) {
    if (!key.path.starts_with(pattern)) continue;
    const std::string rest = key.path.substr(pattern.size());
    const std::string name = rest.substr(0, rest.find('.'));
    if (name != kAnyName && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

const std::vector<std::string>& device_link_tables() {
  static const std::vector<std::string> tables = {"nvlink", "pcie", "infinity_fabric", "c2c"};
  return tables;
}

bool is_device_link(std::string_view path) {
  const auto& tables = device_link_tables();
  return std::find(tables.begin(), tables.end(), path.substr(0, path.find('.'))) != tables.end();
}

}  // namespace foretile
