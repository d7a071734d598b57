// SPDX-License-Identifier: BSD-3-Clause
// A process of each node that serves requests of all ranks, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace foretile {

/// When a request is served. In seconds of model time.
struct ServedTime {
  double start_s = 0, end_s = 0;
};

/// First come, first served: ARMCI's data server or a progress rank of Global Arrays, of which a node has
/// one. Calls of `serve` for a node come in the order in which its requests arrive.
class NodeQueue {
 public:
  explicit NodeQueue(int nodes) : free_s_(static_cast<std::size_t>(nodes), 0) {}

  /// A request that arrives at the node's process, and keeps it busy for `work_s`.
  ServedTime serve(int node, double arrival_s, double work_s) {
    double& free_s = free_s_[static_cast<std::size_t>(node)];
    const double start_s = std::max(arrival_s, free_s);
    free_s = start_s + work_s;
    busy_s_ += work_s;
    return {start_s, free_s};
  }

  /// Sum over all nodes.
  double busy_s() const { return busy_s_; }

 private:
  std::vector<double> free_s_;  // of each node: when its process has served all requests
  double busy_s_ = 0;
};

}  // namespace foretile
