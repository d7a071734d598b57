// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What one rank did.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scheduler/path.hpp"

namespace foretile {

/// What one device did. h2d: host to device, d2d: device to device, d2h: device to host.
struct DeviceStatistics {
  std::int64_t kernels = 0;   ///< products
  std::int64_t launches = 0;  ///< operations that they ran in
  double flops = 0;           ///< of the products
  /// Times with at least one kernel or copy in flight.
  double kernel_s = 0;
  double h2d_s = 0,             ///< copies from the host
      d2d_s = 0,                ///< from other devices
      d2h_s = 0;                ///< to the host
  std::int64_t h2d_bytes = 0,   ///< from the host
      d2d_bytes = 0,            ///< from other devices
      d2h_bytes = 0;            ///< to the host
  std::int64_t host_loads = 0,  ///< tiles that stream and came from the host
      peer_loads = 0,           ///< from another device
      hits = 0;                 ///< that were on the device
  std::int64_t c_loads = 0;     ///< initial tiles of C
  std::int64_t evictions = 0;   ///< tiles that were dropped for others
  std::int64_t peak_bytes = 0;  ///< most that tiles took at once
};

/// What one rank did beside its devices.
struct RankCounts {
  std::int64_t generated_tiles = 0;           ///< of B, on demand
  std::int64_t generate_operations = 0;       ///< on cores; each makes one tile or more, or a part
  std::int64_t generated_bytes = 0;           ///< of these tiles
  double generate_s = 0;                      ///< core-seconds
  std::int64_t combines = 0;                  ///< additions of parts of C, each of the tiles of one sum
  std::int64_t combined_bytes = 0;            ///< that they added
  double combine_s = 0;                       ///< time with at least one of them under way
  double combine_core_s = 0;                  ///< core-seconds
  std::int64_t sent_bytes = 0;                ///< of all messages of the rank
  std::int64_t sent_between_nodes_bytes = 0;  ///< of these, to ranks of other nodes
  std::int64_t received_bytes = 0;            ///< of all messages to the rank
  double send_s = 0;                          ///< time with at least one message on its way out
  double finish_s = 0;                        ///< end of the last operation
  Path critical;                              ///< of the last operation
};

/// What one rank and its devices did.
struct RankStatistics : RankCounts {
  std::vector<DeviceStatistics> devices;  ///< by number
  std::vector<double> step_ends_s = {};   ///< where tiles flow: end of the last operation of each step
};

}  // namespace foretile
