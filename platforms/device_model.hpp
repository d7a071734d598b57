// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What computes: its memory, and how long its launches take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/precision.hpp"
#include "platforms/kernel_model.hpp"

namespace foretile {

/// What multiplies tiles.
enum class DeviceKind {
  gpu,  ///< memory of its own, behind a link
  core  ///< a CPU core; its tiles are in host memory
};

/// Extents of C += A B: A is m x k, B is k x n.
struct ProductSize {
  std::int64_t m = 0,  ///< rows of A and C
      n = 0,           ///< columns of B and C
      k = 0;           ///< inner index
};

/// In percent of a core's part of the cache, each twice the one before. Where CacheModel::kept is measured.
inline constexpr std::array<int, 7> kReuseDistances = {10, 20, 40, 80, 160, 320, 640};

/// A core's share of the last-level cache, and the speed of products with cached tiles. On the machines
/// measured, products on cached tiles of 64 to 160 take 20 to 40% less time; tiles of 700 gain nothing.
struct CacheModel {
  std::int64_t bytes = 0;  ///< of one core, all cores busy; 0: not known, every tile comes from memory
  /// Shares of the gain that are left, 0 to 1, where other tiles of kReuseDistances times `bytes` were used
  /// since a tile's last use. All 0: not known, 1 up to `bytes` and 0 beyond.
  std::array<double, kReuseDistances.size()> kept = {};
  /// Time of a product with all tiles in the cache, divided by the time on the kernel's curve (all tiles in
  /// memory). Measured in double precision and used for both.
  SizeFactors factors = kNoFactors;

  /// Whether CacheModel::kept is measured.
  bool kept_known() const;
  /// The share of the gain that is left for a tile when `used` bytes of tiles, its own among them, were used
  /// since it was. Between kReuseDistances linear in the logarithm, 0 beyond the last.
  double kept_after(double used) const;
  /// Factor on the curve's time when the share `cached` of the product's bytes is in the cache.
  double factor(const ProductSize& size, double cached) const;
};

/// A GPU or a core.
struct DeviceModel {
  DeviceKind kind = DeviceKind::gpu;  ///< GPU or core
  std::int64_t memory_bytes = 0;      ///< budget for tiles on one device
  /// A GPU whose memory is the host's (one memory for both): nothing is copied. Cores always work there.
  bool in_host_memory = false;
  KernelModel kernel = {};  ///< double precision, one product in a launch
  /// Of one product in a launch of several (PlanFrame::batch); `latency_s` is that of the whole launch. Not
  /// known: a batch takes the time of its products one after the other with one latency.
  KernelModel batched = {};
  KernelModel single = {};  ///< single precision, as `kernel`; not known: no such problem on this platform
  KernelModel single_batched = {};  ///< single precision, as `batched`
  CacheModel cache = {};            ///< of cores
  /// What multiplies in double precision: "matrix" (units for matrices: `kernel` and `batched`), "vector" or
  /// "emulated" (products of integers in place of one product).
  std::string arithmetic = "matrix";
  KernelModel vector = {};  ///< double precision by units for vectors, one product in a launch
  KernelModel emulated =
      {};  ///< double precision by emulation; `latency_s` is that of all launches of a product

  /// All of them, known or not.
  std::array<KernelModel*, 6> curves() {
    return {&kernel, &batched, &single, &single_batched, &vector, &emulated};
  }
  /// The curve of launches of one product. May be unknown: see check_precision.
  const KernelModel& kernel_for(Precision precision) const;
  /// The curve of launches of `products` products.
  const KernelModel& launch_of(Precision precision, std::size_t products) const;
  /// Before the work of one launch: its latency once, of emulated products for each.
  double launch_start_seconds(Precision precision, std::size_t products) const;
  /// Time of one launch: its start, and the work of each product.
  double launch_seconds(Precision precision, std::span<const ProductSize> products) const;
};

}  // namespace foretile
