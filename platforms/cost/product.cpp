// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/product.hpp"

#include <algorithm>

#include "platforms/cost/team.hpp"

namespace foretile {

KernelTime& KernelTime::operator+=(const KernelTime& other) {
  launch_s += other.launch_s;
  work_s += other.work_s;
  return *this;
}

KernelTime launch_time(const DeviceModel& device, ElementType type, std::span<const ProductSize> products) {
  const KernelModel& curve = device.launch_of(type.precision, products.size());
  const double start = device.launch_start_seconds(type.precision, products.size());
  return {start, kernel_factor(curve, type) * (device.launch_seconds(type.precision, products) - start)};
}

KernelTime product_time(const DeviceModel& core, ElementType type, const ProductSize& size, double cached) {
  const KernelModel& curve = core.kernel_for(type.precision);
  return {curve.start_seconds(), kernel_factor(curve, type) * curve.work_seconds(size.m, size.n, size.k) *
                                     core.cache.factor(size, cached)};
}

double hand_over_s(const Machine& machine) {
  const Runtime& runtime = machine.platform.runtime;
  if (machine.platform.device.kind != DeviceKind::core) return 0;
  return machine.devices_per_rank > 1 ? runtime.shared_product_overhead_s : runtime.product_overhead_s;
}

double cached_share(const ProductBytes& all, const ProductBytes& from_memory) {
  const double moved = from_memory.a + from_memory.b + 2 * from_memory.c;
  return 1 - moved / (all.a / kProductsWithA + (all.b + 2 * all.c));
}

LeastTimes::LeastTimes(const Machine& machine, ElementType type, int batch, DeviceKind device, int cores)
    : device_(&machine.platform.model_of(device)),
      alone_(&device_->launch_of(type.precision, 1)),
      several_(batch > 1 ? &device_->launch_of(type.precision, 2) : nullptr),
      cores_(cores),
      core_(machine.platform.device.kind == DeviceKind::core),
      batch_(batch),
      launch_s_(alone_->start_seconds()),
      alone_factor_(kernel_factor(*alone_, type)),
      several_factor_(several_ ? kernel_factor(*several_, type) : 1),
      speedup_(core_ ? machine.platform.solo_speedup : 1) {
  if (several_) launch_s_ = std::min(launch_s_, several_->start_seconds());
  launch_s_ = (launch_s_ + hand_over_s(machine)) / speedup_;
}

/// cached_share() is between 1 and, where nothing but A counts and all of it comes from memory, -7.
double LeastTimes::least_cache_factor(const ProductSize& size) const {
  constexpr double kLeastShare = 1 - kProductsWithA;
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
