// SPDX-License-Identifier: BSD-3-Clause
// What one rank did.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scheduler/path.hpp"

namespace foretile {

struct DeviceStatistics {
  std::int64_t kernels = 0;   ///< products
  std::int64_t launches = 0;  ///< operations that they ran in
  double flops = 0;
  /// Times with at least one kernel or copy in flight.
  double kernel_s = 0;
  double h2d_s = 0, d2d_s = 0, d2h_s = 0;
  std::int64_t h2d_bytes = 0, d2d_bytes = 0, d2h_bytes = 0;
  std::int64_t host_loads = 0, peer_loads = 0, hits = 0;  ///< tiles that stream: A, and B where it does
  std::int64_t c_loads = 0;                               ///< initial tiles of C
  std::int64_t evictions = 0;
  std::int64_t peak_bytes = 0;
};

struct RankCounts {
  std::int64_t generated_tiles = 0;
  std::int64_t generate_operations = 0;  ///< on cores; each makes one tile or more, or a part
  std::int64_t generated_bytes = 0;
  double generate_s = 0;            ///< core-seconds
  std::int64_t combines = 0;        ///< additions of parts of C, each of the tiles of one sum
  std::int64_t combined_bytes = 0;  ///< that they added
  double combine_s = 0;             ///< time with at least one of them under way
  std::int64_t sent_bytes = 0;
  std::int64_t sent_between_nodes_bytes = 0;  ///< of these, to ranks of other nodes
  std::int64_t received_bytes = 0;
  double send_s = 0;    ///< time with at least one message on its way out
  double finish_s = 0;  ///< end of the last operation
  Path critical;        ///< of the last operation
};

struct RankStatistics : RankCounts {
  std::vector<DeviceStatistics> devices;
  std::vector<double> step_ends_s = {};  ///< where tiles flow: end of the last operation of each step
};

}  // namespace foretile
