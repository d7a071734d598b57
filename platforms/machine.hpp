// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How much of a platform one run uses, and which rank and device is where.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "platforms/platform.hpp"

namespace foretile {

/// Exactly one of the three is given by the user; none means one node.
struct MachineSize {
  std::optional<int> nodes,  ///< whole nodes
      ranks,                 ///< ranks, which fill nodes one after the other
      gpus;                  ///< GPUs, which fill whole ranks
};

/// Ranks are numbered node by node; the ranks of a node share its sockets in equal parts, so a rank's devices
/// and cores are on one socket when ranks_per_node is a multiple of the sockets.
struct Machine {
  Platform platform;         ///< the model of its parts
  int ranks = 1;             ///< of the job
  int ranks_per_node = 1;    ///< of each node, the last may have fewer
  int devices_per_rank = 1;  ///< of each rank
  /// Of nodes for grids and counts of bytes: `ranks_per_node`, or fewer where nodes are pretended.
  /// 0: `ranks_per_node`.
  int ranks_of_counted_node = 0;
  /// Of each device of all ranks, in place of Platform::device_speeds; may be above 1. Empty: those.
  std::vector<double> device_speeds = {};

  /// Ranks of a node for grids and counts of bytes.
  int counted_ranks_per_node() const {
    return ranks_of_counted_node > 0 ? ranks_of_counted_node : ranks_per_node;
  }
  /// Nodes for grids and counts of bytes.
  int counted_nodes() const { return (ranks - 1) / counted_ranks_per_node() + 1; }
  /// Node of a rank for grids and counts of bytes, from 0.
  int counted_node_of(Rank rank) const { return rank / counted_ranks_per_node(); }
  /// Nodes that the ranks use.
  int nodes() const { return (ranks - 1) / ranks_per_node + 1; }
  /// Devices of all ranks.
  int devices() const { return ranks * devices_per_rank; }
  /// Node of a rank, from 0.
  int node_of(Rank rank) const { return rank / ranks_per_node; }
  /// Socket within its node of a rank's device.
  int socket_of(Rank rank, Device device) const;
  /// Rate of a rank's device over that of Platform::device.
  double speed_of(Rank rank, Device device) const;
  /// First and last + 1 of the sockets whose cores and memory the rank has, whole or in part.
  std::pair<int, int> sockets_of(Rank rank) const;
  /// Whether ranks receive tiles of A and B in memory of their devices (Platform::messages).
  bool receives_on_devices() const {
    return platform.messages == "device" && platform.has_device_memory() && ranks > 1;
  }
  /// Cores that a rank may use to generate tiles; at least 1.
  int cores_per_rank() const;
  /// Those that are left to compute beside a rank's GPUs, of which each has one for its copies and launches.
  int cores_beside_gpus() const { return std::max(0, cores_per_rank() - devices_per_rank); }
  /// A rank's share of the host memory. On cores it has all tiles: what a core works on is there once.
  std::int64_t host_bytes_per_rank() const;
  /// What is left of it where cores keep as many generated tiles as they may.
  std::int64_t host_bytes_beside_devices() const;
};

/// Throws InputError when the platform has fewer nodes, or `gpus` does not fill whole ranks.
Machine make_machine(Platform platform, const MachineSize& size);

}  // namespace foretile
