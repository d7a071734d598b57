// SPDX-License-Identifier: BSD-3-Clause
#include "planner/bound/least_times.hpp"

#include "planner/problem/made_part.hpp"
#include "platforms/team.hpp"

namespace foretile {

/// Its largest part, alone on its core.
double least_making_s(const Machine& machine, const Contraction& p, TileId b) {
  const Platform& platform = machine.platform;
  const double bytes = largest_part_bytes(p.b_bytes(b), p.element_bytes(), machine.cores_per_rank());
  return over(bytes, making_bytes_per_s(machine, p)) /
         (platform.device.kind == DeviceKind::core ? platform.solo_speedup : 1);
}

LeastTimes::LeastTimes(const Machine& machine, ElementType type, int batch, const DeviceClass& device)
    : device_(&machine.platform.model_of(device.kind)),
      alone_(&device_->launch_of(type.precision, 1)),
      several_(batch > 1 ? &device_->launch_of(type.precision, 2) : nullptr),
      cores_(device.cores),
      core_(machine.platform.device.kind == DeviceKind::core),
      batch_(batch),
      launch_s_(alone_->start_seconds()),
      alone_factor_(kernel_factor(*alone_, type)),
      several_factor_(several_ ? kernel_factor(*several_, type) : 1),
      speedup_(core_ ? machine.platform.solo_speedup : 1) {
  if (several_) launch_s_ = std::min(launch_s_, several_->start_seconds());
  const Runtime& runtime = machine.platform.runtime;
  if (core_)
    launch_s_ +=
        machine.devices_per_rank > 1 ? runtime.shared_product_overhead_s : runtime.product_overhead_s;
  launch_s_ /= speedup_;
}

/// The share of a product's bytes that the cache has is 1 at most. At least it is -7, where all of A comes
/// from memory: the curve is that of products of which one in eight loads it (simulator/simulated_rank.cpp,
/// cached_share).
double LeastTimes::least_cache_factor(const ProductSize& size) const {
  constexpr double kLeastShare = -7;
  const CacheModel& cache = device_->cache;
  return std::max(0.0, std::min(cache.factor(size, 1), cache.factor(size, kLeastShare)));
}

double LeastTimes::work(std::int64_t m, std::int64_t n, std::int64_t k) const {
  if (cores_ > 1) {
    const ProductSize part = largest_part({m, n, k}, cores_);
    m = part.m;
    n = part.n;
  }
  double least = alone_factor_ * alone_->work_seconds(m, n, k);
  if (several_ && several_ != alone_)
    least = std::min(least, several_factor_ * several_->work_seconds(m, n, k));
  if (core_) least *= least_cache_factor({m, n, k});
  return least / speedup_;
}

}  // namespace foretile
