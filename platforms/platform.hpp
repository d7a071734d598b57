// A machine, as much of it as a rehearsal needs. SI units throughout: bytes, seconds, flop/s.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/device_model.hpp"

namespace foretile {

/// One direction of a link.
struct LinkModel {
  double latency_s = 0;
  double bandwidth_bytes_per_s = 0;
};

/// Links inside a node. For `core` devices, whose tiles lie in host memory, all but `message` are that
/// memory.
struct NodeLinks {
  LinkModel host_to_device;  ///< one device's link, that direction
  LinkModel device_to_host;
  double socket_host_to_device_bytes_per_s = 0;  ///< all devices of a socket together, per direction
  LinkModel peer;                                ///< device to device on the same socket
  LinkModel cross_socket;                        ///< the bus between sockets, per direction
  LinkModel message;                             ///< between two ranks of one node
  /// One device's link, both directions together; 0: they do not disturb each other.
  double both_ways_bytes_per_s = 0;
};

struct Network {
  LinkModel message;                      ///< between two ranks of different nodes: cap of one rank
  double node_injection_bytes_per_s = 0;  ///< all ranks of a node together, per direction
};

/// What the runtime system adds to the hardware's cost.
struct Runtime {
  double copy_overhead_s = 0;     ///< software cost of one tile copied to or from a device; serial per device
  double message_overhead_s = 0;  ///< software cost of one tile sent or received; serial per rank
  /// Where devices are cores: from the end of one product to the start of the next on a core that always has
  /// work, for the hand-over between the worker and the progress loop. Generated tiles pay it too.
  double product_overhead_s = 0;
  /// Where devices are cores: bytes per second at which a core copies messages, at either end. The progress
  /// loop takes this time from the cores. 0: none.
  double message_copy_bytes_per_s = 0;
  /// Whose software these costs describe: one of `runtime_sources()`.
  std::string source = "none";
};

/// How a measured platform was measured.
struct CalibrationFacts {
  double core_share = 1;         ///< part of the time for which the cores were ours while it was measured
  bool stable = true;            ///< the same products took the same time again and again
  double probe_flops_per_s = 0;  ///< of one core in the probe (executor/probe.hpp); 0: not known
};

/// Relative standard deviations; 0 turns noise off.
struct Noise {
  double kernel = 0;
  double link = 0;
};

/// Values of `runtime.source`: "paper", the runtime of the paper whose times the costs were fitted to;
/// "foretile-run", its own costs as `foretile-run calibrate` measures them; "none", no software costs.
const std::vector<std::string>& runtime_sources();

/// The source for people: "those of foretile-run".
std::string runtime_source_text(const std::string& source);

struct Platform {
  std::string name;
  std::string toml;        ///< the text it was read from after all --set, enough to rebuild it
  std::string source;      ///< path for messages
  bool estimated = false;  ///< true when nothing was measured: predictions are guesses

  int nodes = 1;             ///< available
  int sockets = 1;           ///< per node
  int cores_per_socket = 1;  ///< available to the application
  int devices_per_socket = 1;
  std::int64_t memory_bytes_per_socket = 0;
  double memory_bandwidth_bytes_per_s = 0;  ///< host memory of one socket
  int ranks_per_node = 1;

  DeviceModel device;
  NodeLinks links;
  Network network;
  double generation_bytes_per_s_per_core = 0;   ///< making B tiles on demand, one core
  double generation_bytes_per_s_on_device = 0;  ///< the same on a GPU; 0: it is left to the cores
  Runtime runtime;
  Noise noise;
  CalibrationFacts calibration;

  int cores_per_node() const { return sockets * cores_per_socket; }
  int devices_per_node() const { return sockets * devices_per_socket; }
};

}  // namespace foretile
