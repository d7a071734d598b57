// SPDX-License-Identifier: BSD-3-Clause
// How long products take on devices, and how long at least whatever else happens on the machine.
#pragma once

#include <cstdint>
#include <span>

#include "base/element_type.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Of launches one after the other, in seconds.
struct KernelTime {
  double launch_s = 0;  ///< what each takes beside its products
  double work_s = 0;

  KernelTime& operator+=(const KernelTime& other);
};

/// One launch on a device without caches; the curve is that of so many products.
KernelTime launch_time(const DeviceModel& device, ElementType type, std::span<const ProductSize> products);

/// One product on a core whose cache has that share of the product's bytes (cached_share).
KernelTime product_time(const DeviceModel& core, ElementType type, const ProductSize& size, double cached);

/// Seconds between two products, generated tiles or parts of tiles on a core; of GPUs 0.
double hand_over_s(const Machine& machine);

/// The calibration's products, whose time the kernel's curve gives, find one tile of A so many times in a
/// row, and all else in memory (executor/calibration/core_products.cpp).
inline constexpr int kProductsWithA = 8;

/// Of a product's tiles.
struct ProductBytes {
  double a = 0, b = 0, c = 0;
};

/// 1: all of a product's tiles are in the cache; 0: as in the calibration; less: more of A comes from memory.
/// C is read and written.
double cached_share(const ProductBytes& all, const ProductBytes& from_memory);

/// Of products on one device, in seconds. On a core that others leave alone they take
/// 1 / Platform::solo_speedup of the time.
class LeastTimes {
 public:
  /// At most `batch` products go out in one launch; `cores` share each product.
  LeastTimes(const Machine& machine, ElementType type, int batch, DeviceKind device, int cores);
  /// On the platform's devices.
  LeastTimes(const Machine& machine, ElementType type, int batch)
      : LeastTimes(machine, type, batch, machine.platform.device.kind, 1) {}

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
