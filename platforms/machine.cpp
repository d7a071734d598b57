// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.hpp"

namespace foretile {

namespace {

int devices_of_full_rank(const Platform& p) {
  return std::max(1, p.devices_per_node() / p.ranks_per_node);
}

/// `gpus` below one rank's share gives one rank with fewer devices; above, only whole ranks.
std::pair<int, int> ranks_and_devices(const Platform& p, const MachineSize& size) {
  const int full = devices_of_full_rank(p);
  if (size.gpus) {
    if (*size.gpus <= full) return {1, *size.gpus};
    if (*size.gpus % full != 0) {
      throw input_error("gpus", fmt::format("{}", *size.gpus), fmt::format("a multiple of {}", full),
                        fmt::format("{} has {} devices per rank", p.name, full));
    }
    return {*size.gpus / full, full};
  }
  if (size.ranks) return {*size.ranks, full};
  return {size.nodes.value_or(1) * p.ranks_per_node, full};
}

void check_nodes(const Platform& p, int nodes) {
  if (nodes <= p.nodes) return;
  throw input_error("machine size", fmt::format("{} nodes", nodes),
                    fmt::format("at most {} on {}", p.nodes, p.name),
                    fmt::format("ranks_per_node is {}", p.ranks_per_node));
}

}  // namespace

int Machine::socket_of(Rank rank, Device device) const {
  const int first = rank % ranks_per_node * devices_per_rank;
  return std::min((first + device) / platform.devices_per_socket, platform.sockets - 1);
}

double Machine::speed_of(Rank rank, Device device) const {
  const auto number_in = [this](int among, Device of_rank) {
    return static_cast<std::size_t>(among) * static_cast<std::size_t>(devices_per_rank) +
           static_cast<std::size_t>(of_rank);
  };
  if (!device_speeds.empty()) return device_speeds.at(number_in(rank, device));
  const std::vector<double>& of_node = platform.device_speeds;
  if (of_node.empty()) return 1;
  return of_node[number_in(rank % ranks_per_node, device) %
                 of_node.size()];  // ranks beyond the cores of a node share them
}

std::pair<int, int> Machine::sockets_of(Rank rank) const {
  const std::int64_t local = rank % ranks_per_node;
  const std::int64_t first = local * platform.sockets / ranks_per_node;
  const std::int64_t end = ((local + 1) * platform.sockets + ranks_per_node - 1) / ranks_per_node;
  return {static_cast<int>(first), static_cast<int>(end)};
}

int Machine::cores_per_rank() const {
  return std::max(1, platform.cores_per_node() / ranks_per_node);
}

std::int64_t Machine::host_bytes_per_rank() const {
  return platform.memory_bytes_per_socket * platform.sockets / ranks_per_node;
}

std::int64_t Machine::host_bytes_beside_devices() const {
  const bool same_memory = !platform.has_device_memory();
  const std::int64_t kept = same_memory ? devices_per_rank * platform.device.memory_bytes : 0;
  return std::max<std::int64_t>(0, host_bytes_per_rank() - kept);
}

namespace {

/// On a single machine whose cores are the devices, `ranks` puts all ranks on it, more than cores if asked.
/// All devices together keep at most half of the node's memory for their blocks.
void share_cores(Machine& machine, const MachineSize& size) {
  Platform& p = machine.platform;
  if (size.ranks && p.nodes == 1) {
    if (p.pretend_nodes) machine.ranks_of_counted_node = p.ranks_per_node;
    machine.ranks_per_node = *size.ranks;
    machine.devices_per_rank = std::max(1, p.devices_per_node() / *size.ranks);
  }
  const std::int64_t share =
      p.memory_bytes_per_socket * p.sockets / 2 / machine.ranks_per_node / machine.devices_per_rank;
  p.device.memory_bytes = std::min(p.device.memory_bytes, share);
}

}  // namespace

Machine make_machine(Platform platform, const MachineSize& size) {
  if (size.nodes.has_value() + size.ranks.has_value() + size.gpus.has_value() > 1) {
    throw InputError("give only one of nodes, ranks and gpus");
  }
  for (const auto& [name, value] :
       {std::pair("nodes", size.nodes), {"ranks", size.ranks}, {"gpus", size.gpus}}) {
    if (value && *value < 1) throw input_error(name, fmt::format("{}", *value), "at least 1");
  }
  check_nodes(platform, size.nodes.value_or(1));
  const auto [ranks, devices] = ranks_and_devices(platform, size);
  Machine machine;
  machine.ranks = ranks;
  machine.ranks_per_node = platform.ranks_per_node;
  machine.devices_per_rank = devices;
  machine.platform = std::move(platform);
  if (machine.platform.device.kind == DeviceKind::core) share_cores(machine, size);
  check_nodes(machine.platform, machine.nodes());
  return machine;
}

}  // namespace foretile
