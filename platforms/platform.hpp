// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A machine, as much of it as a simulation needs. SI units throughout: bytes, seconds, flop/s.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/device_model.hpp"

namespace foretile {

/// One direction of a link.
struct LinkModel {
  double latency_s = 0;              ///< for a message of 0 bytes
  double bandwidth_bytes_per_s = 0;  ///< of one long message
};

/// One kind of link between parts of a node, a table [link.NAME] of the file (platforms/node_graph.hpp).
/// Bytes per second; 0 never limits.
struct LinkTable {
  std::string name = {};            ///< of the table
  std::string between = {};         ///< which parts each link joins, "gpu0-gpu1 gpu2-gpu3"
  double latency_s = 0;             ///< that the link adds to a copy or message
  double bytes_per_s = 0;           ///< of one link, from the first part to the second
  double back_bytes_per_s = 0;      ///< of one link, from the second part to the first
  double both_bytes_per_s = 0;      ///< of one link, both directions together
  double all_bytes_per_s = 0;       ///< all links of the table together, from first to second parts
  double all_back_bytes_per_s = 0;  ///< the same from second to first parts
  double all_both_bytes_per_s = 0;  ///< the same, both directions together
};

/// Links inside a node. For `core` devices, whose tiles are in host memory, all but `message` are that
/// memory.
struct NodeLinks {
  LinkModel host_to_device;                      ///< one device's link, that direction
  LinkModel device_to_host;                      ///< the other direction of that link
  double socket_host_to_device_bytes_per_s = 0;  ///< all devices of a socket together, per direction
  LinkModel peer;                                ///< device to device on the same socket
  LinkModel cross_socket;                        ///< the bus between sockets, per direction
  LinkModel message;                             ///< between two ranks of one node: cap of the sender
  /// All messages inside a node together, which share its memory; 0: they do not disturb each other.
  double node_message_bytes_per_s = 0;
  /// One device's link, both directions together; 0: they do not disturb each other.
  double both_ways_bytes_per_s = 0;
  /// The links of one node as a graph. Empty: those above, alike for all devices. Else the figures above are
  /// the best that some device reaches, which bounds and estimates use.
  std::vector<LinkTable> tables = {};
};

/// Network cards of a node.
struct Cards {
  int count = 0;           ///< 0: the node has one port, Network::node_injection_bytes_per_s
  double bytes_per_s = 0;  ///< of one card, per direction
  int of_rank = 1;         ///< that one rank uses at most
  /// Ranks of a node do not avoid each other's cards: each takes its nearest, of equally near ones the first.
  bool shared = false;
};

/// Links between nodes.
struct Network {
  LinkModel message;                      ///< between two ranks of different nodes: cap of one rank
  double node_injection_bytes_per_s = 0;  ///< all ranks of a node together, per direction
  Cards cards = {};                       ///< what a node's messages pass
  /// Messages from one GPU's memory to another's, of ranks on different nodes.
  LinkModel device_message = {};
  double gap_s = 0;  ///< from one message of a rank to its next, however small
  /// From this size on, a message of a collective operation waits until its receiver asks; 0: none does.
  std::int64_t rendezvous_bytes = 16384;
};

/// How switches join the nodes. Bytes per second are per direction; 0 never limits.
struct Fabric {
  /// "dragonfly", "dragonfly+" or "fat-tree": how many switches a message passes. Empty: not described, which
  /// is a fabric that never limits.
  std::string type;
  int leaf_nodes = 0;                ///< nodes at one leaf switch; 0: leaves are not described
  double leaf_bytes_per_s = 0;       ///< all links of a leaf to other switches of its group
  int group_nodes = 0;               ///< nodes of one group, cell or island; 0: all nodes are one group
  double group_bytes_per_s = 0;      ///< all links of a group to other groups
  double pair_bytes_per_s = 0;       ///< all links between two groups
  bool adaptive = false;             ///< messages between two groups also pass other groups
  bool rails = false;                ///< card i of each node is at leaf i: one leaf for each card
  double switch_latency_s = 0;       ///< of each switch behind the first
  std::string placement = "packed";  ///< of the job's nodes: "packed", "scattered", or a group for each node
};

/// Bytes per second of copies to a GPU from host memory that the runtime has not pinned, by where the tile
/// comes from; such a copy blocks its device's manager. 0: that memory is pinned.
struct UnpinnedRates {
  double initial_bytes_per_s = 0;    ///< initial distribution, tiles of many sizes (HostTile::single)
  double received_bytes_per_s = 0;   ///< came in a message
  double generated_bytes_per_s = 0;  ///< generated by a core
  /// Initial distribution, tiles of one size (HostTile::array), by a runtime that allocates them one by one.
  double array_bytes_per_s = 0;
  /// Whether some memory is not pinned.
  bool any() const {
    return initial_bytes_per_s > 0 || received_bytes_per_s > 0 || generated_bytes_per_s > 0 ||
           array_bytes_per_s > 0;
  }
};

/// What the runtime system adds to the hardware's cost.
struct Runtime {
  double copy_overhead_s = 0;     ///< software cost of one tile copied to or from a device; serial per device
  double message_overhead_s = 0;  ///< software cost of one tile sent or received; serial per rank
  UnpinnedRates unpinned;         ///< of copies to GPUs
  /// Where devices are cores: processor time of the progress loop for each operation of a core, which is a
  /// few products or a few generated tiles. The loop takes it from the cores.
  double operation_overhead_s = 0;
  /// Where devices are cores: from the end of one product to the start of the next on a core that always has
  /// work, beyond the operation's overhead. Generated tiles pay it too.
  double product_overhead_s = 0;
  /// The same in a rank with several devices, which one progress loop serves.
  double shared_product_overhead_s = 0;
  /// Where devices are cores: bookkeeping for each tile of A or B that comes to a core, in time of that core.
  double load_overhead_s = 0;
  /// The same for each tile of C, when it is written back from its place at the core.
  double store_overhead_s = 0;
  /// Where devices are cores: time that products lose for one poll of the progress loop for messages and
  /// ended work, its waking up included (scheduler/polling.hpp).
  double look_overhead_s = 0;
  /// Where devices are cores: time from the arrival of a message until the progress loop of a rank whose
  /// cores all work sees it.
  double polling_delay_s = 0;
  /// Where devices are cores: bytes per second at which a core copies messages, at either end. The progress
  /// loop takes this time from the cores. 0: none.
  double message_copy_bytes_per_s = 0;
  /// Whose software these costs describe: one of `runtime_sources()` (platforms/runtime_source.hpp).
  std::string source = "none";
};

/// What TAMM's runtime reaches (simulator/tamm_order.hpp), bytes per second; 0: not known.
struct TammRates {
  double get_bytes_per_s = 0;  ///< one rank that gets a block, beyond the time of the process that serves it
  double served_bytes_per_s = 0;  ///< the progress process of a node, all that others get from it
  double host_bytes_per_s = 0;    ///< one pass of a rank over numbers in host memory, or a copy from there to
                                  ///< its device or back
};

/// Electric power in watts; 0: not known.
struct Power {
  double device_idle_w = 0;  ///< of one GPU that does nothing
  double device_busy_w = 0;  ///< of one GPU that multiplies
  double node_idle_w = 0;    ///< of all else in a node that does nothing
  double node_busy_w = 0;    ///< the same while all its cores compute

  /// Whether reports can have joules.
  bool known() const { return node_idle_w > 0; }
};

/// How a measured platform was measured.
struct CalibrationFacts {
  double core_share = 1;         ///< part of the time for which the cores were ours while it was measured
  bool stable = true;            ///< the same products took the same time again and again
  double error = 0;              ///< median, of the kernel model on shapes that it was not fitted to
  double probe_flops_per_s = 0;  ///< of one core in the probe (executor/calibration/probe.hpp); 0: not known
  std::string kernels;           ///< of its products (executor/cpu/tile_kernel.hpp); empty: not known
};

/// Relative standard deviations; 0 turns noise off. Those of single operations average out within a run;
/// what is slow for a whole run changes which plan is the fastest.
struct Noise {
  double kernel = 0;     ///< of each kernel
  double link = 0;       ///< of each copy and message
  double device = 0;     ///< of a device's kernels, all alike
  double node = 0;       ///< of all kernels of a node alike
  double bandwidth = 0;  ///< of a link, for the whole run
  double model = 0;      ///< of all kernels alike: the error of the kernel curve for the plan's tiles

  /// Whether any noise is on.
  bool any() const { return kernel > 0 || link > 0 || device > 0 || node > 0 || bandwidth > 0 || model > 0; }
};

/// A cluster of equal nodes: their parts, links and software.
struct Platform {
  std::string name;        ///< as in the file
  std::string toml;        ///< the text it was read from after all --set, enough to rebuild it
  std::string source;      ///< path for messages
  bool estimated = false;  ///< true when nothing was measured: predictions are guesses

  int nodes = 1;             ///< available
  int sockets = 1;           ///< per node
  int cores_per_socket = 1;  ///< available to the application
  /// How much faster a core computes while the node's others are idle. All rates are those of busy
  /// neighbours.
  double solo_speedup = 1;
  int devices_per_socket = 1;                ///< GPUs, or cores that are devices
  std::int64_t memory_bytes_per_socket = 0;  ///< of host memory that tiles may use
  double memory_bandwidth_bytes_per_s = 0;   ///< host memory of one socket
  int ranks_per_node = 1;                    ///< unless the user asks for another number
  /// Where all ranks share one node whose cores are the devices: they are counted, and placed in grids, as if
  /// every `ranks_per_node` of them were a node. For tests.
  bool pretend_nodes = false;

  DeviceModel device;  ///< of a GPU, or of a core where cores are the devices
  /// Of each device of a node: the part of the rate of `device` that it has, in (0, 1]. Empty: all have 1.
  std::vector<double> device_speeds;
  /// Of a core that computes beside GPUs. Its kernel is not known where cores only serve the GPUs.
  DeviceModel core{.kind = DeviceKind::core};
  NodeLinks links;                              ///< inside a node
  Network network;                              ///< between nodes
  Fabric fabric;                                ///< what joins the nodes
  double generation_bytes_per_s_per_core = 0;   ///< generating tiles of B on demand, one core
  int most_cores_per_generated_tile = 0;        ///< that share a large tile of B; 0: all of the rank
  double generation_bytes_per_s_on_device = 0;  ///< the same on a GPU; 0: it is left to the cores
  /// Reading tiles from files, all cores of a node together; 0: not known.
  double file_bytes_per_s_per_node = 0;
  double file_bytes_per_s_per_core = 0;  ///< the same, one core that reads alone; 0: as fast as the node
  /// Bytes of tiles that one core adds to others per second, all cores busy; 0: not measured.
  double addition_bytes_per_s_per_core = 0;
  double cached_addition_bytes_per_s_per_core = 0;    ///< both tiles in the core's part of the last cache
  double permuted_addition_bytes_per_s_per_core = 0;  ///< indices in another order; from memory
  Runtime runtime;                                    ///< cost of the software
  TammRates tamm;                                     ///< of another library's software
  Noise noise;                                        ///< for simulations
  Power power;                                        ///< for joules
  /// "host" or "device": which memory GPUs' messages leave and enter, unless the user says otherwise.
  std::string messages = "host";
  CalibrationFacts calibration;  ///< of a measured platform

  /// Cores of all sockets.
  int cores_per_node() const { return sockets * cores_per_socket; }
  /// Of `cores` that a rank has.
  int cores_of_tile(int cores) const {
    return most_cores_per_generated_tile > 0 && most_cores_per_generated_tile < cores
               ? most_cores_per_generated_tile
               : cores;
  }
  /// Devices of all sockets.
  int devices_per_node() const { return sockets * devices_per_socket; }
  /// Whether tiles are copied to devices: GPUs that do not share the host's memory.
  bool has_device_memory() const { return device.kind == DeviceKind::gpu && !device.in_host_memory; }
  /// Of devices, or of the cores beside them.
  const DeviceModel& model_of(DeviceKind kind) const { return kind == device.kind ? device : core; }
};

}  // namespace foretile
