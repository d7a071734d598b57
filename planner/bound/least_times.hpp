// SPDX-License-Identifier: BSD-3-Clause
// Least times of single operations, whatever else happens on the machine.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/precision.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Devices make their tiles of B themselves.
inline bool makes_on_device(const Machine& machine, const Contraction& contraction) {
  return machine.platform.device.kind == DeviceKind::gpu && contraction.sources.b != Source::in_file &&
         machine.platform.generation_bytes_per_s_on_device > 0;
}

/// Bytes/s at which one core makes tiles of B or, where they are in a file, reads them while the node's other
/// cores read nothing; 0 never limits.
inline double making_bytes_per_s(const Machine& machine, const Contraction& contraction) {
  const Platform& p = machine.platform;
  if (contraction.sources.b != Source::in_file) return p.generation_bytes_per_s_per_core;
  const double core = p.file_bytes_per_s_per_core, node = p.file_bytes_per_s_per_node;
  return core > 0 && node > 0 ? std::min(core, node) : std::max(core, node);
}

/// `amount` at a rate, where 0 stands for a rate that never limits.
inline double over(double amount, double rate) {
  return rate > 0 ? amount / rate : 0.0;
}

inline double link_seconds(const LinkModel& link, double bytes) {
  return link.latency_s + over(bytes, link.bandwidth_bytes_per_s);
}

/// Until the cores of a rank have made a tile of B, each a part of it.
double least_making_s(const Machine& machine, const Contraction& contraction, TileId b);

/// Of products on one device. On a core that others leave alone they take 1 / Platform::solo_speedup of the
/// time.
class LeastTimes {
 public:
  /// At most `batch` products go out in one launch.
  LeastTimes(const Machine& machine, ElementType type, int batch, const DeviceClass& device);
  /// On the platform's devices.
  LeastTimes(const Machine& machine, ElementType type, int batch)
      : LeastTimes(machine, type, batch, {machine.platform.device.kind, 0}) {}

  /// What a product of m x k by k x n adds to its launch.
  double work(std::int64_t m, std::int64_t n, std::int64_t k) const;
  /// What the launches of so many products take beside them.
  double launches(std::int64_t products) const {
    const std::int64_t count = (products + batch_ - 1) / batch_;
    return static_cast<double>(count) * launch_s_;
  }

 private:
  double least_cache_factor(const ProductSize& size) const;

  const DeviceModel* device_;
  const KernelModel* alone_;
  const KernelModel* several_;  // null: launches have one product
  int cores_;                   // that share a product
  bool core_;                   // of a platform without GPUs
  std::int64_t batch_;
  double launch_s_;
  double alone_factor_, several_factor_;  // of complex products
  double speedup_;
};

}  // namespace foretile
