// SPDX-License-Identifier: BSD-3-Clause
// How long products of tiles take on a device.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/element_type.hpp"

namespace foretile {

/// Sizes of tiles at which factors of a product's time are given. OpenBLAS has another kernel for products up
/// to 100^3 (SMALL_MATRIX_OPT, kernel/x86_64/dgemm_small_kernel_permit_skylakex.c): 15% faster or slower from
/// 100 to 101.
inline constexpr std::array<int, 14> kFactorSizes = {16,  24,  32,  48,  64,  100,  104,
                                                     128, 160, 208, 256, 512, 1024, 2048};
/// Factors at kFactorSizes. Between them the logarithm is linear in the logarithm of s = (m n k)^(1/3);
/// beyond the ends it is constant.
using SizeFactors = std::array<double, kFactorSizes.size()>;
inline constexpr SizeFactors kNoFactors = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
/// Factors that are 0 were not given: they get the value between those that were, all 1 without any.
void complete(SizeFactors& factors);
double factor_of(const SizeFactors& factors, std::int64_t m, std::int64_t n, std::int64_t k);

/// A measured product of m x k by k x n.
struct KernelPoint {
  double m = 0, n = 0, k = 0;
  double flops_per_s = 0;  ///< without the start of a launch
  /// Set by use_points(): natural logarithm of its time beside that of the curve; logarithms to base 2.
  double log_factor = 0, log_m = 0, log_n = 0, log_k = 0;
};

/// Time of a launch of C += A B on tiles of m x k and k x n, one product or several that are alike:
///   t = latency / streams + count * f(s) * 2 m n k / rate * (1 + half_m/m) (1 + half_n/n) (1 + half_k/k),
///   s = (m n k)^(1/3).
/// The form without f was fitted to 160 FP32 shapes of DeepBench on a V100 (figures and errors:
/// platforms/summit.toml); calibration fits it again to the machine it runs on. Cores with several levels of
/// cache do not follow it at all sizes: f is a measured table (SizeFactors), 1 unless given.
struct KernelModel {
  double rate_flops_per_s = 0;  ///< asymptotic rate of large products; 0: the model is not known
  double half_m = 0;            ///< sizes at which the rate is halved
  double half_n = 0;
  double half_k = 0;
  double latency_s = 0;                  ///< fixed cost of one launch
  int streams = 1;                       ///< launches in flight at once; they hide each other's latency
  SizeFactors factors = kNoFactors;      ///< f
  std::vector<KernelPoint> points = {};  ///< measured; the curve is corrected by them
  /// Time of a product of complex numbers beside that of four real ones of the same shape, without launches.
  double complex_factor = 1;

  bool known() const { return rate_flops_per_s > 0; }
  /// Prepares `points`. Where no rate is given, the curve is fitted to them first: one half size for m, n and
  /// k, and a rate, so that the logarithms of the times have the least squares. To be called once the curve
  /// and its points are there; without points it does nothing.
  void use_points();
  /// Factor of a product's time by the points: the mean of theirs in the logarithm, each with the weight
  /// 1 / d^4, where d is its distance in (log2 m, log2 n, log2 k) (Shepard, ACM 1968, doi
  /// 10.1145/800186.810616, with power 4: beside a point it has the point's value, far away the mean of all).
  double point_factor(std::int64_t m, std::int64_t n, std::int64_t k) const;
  /// What each product adds to its launch.
  double work_seconds(std::int64_t m, std::int64_t n, std::int64_t k) const;
  /// What each launch takes beside its products.
  double start_seconds() const { return latency_s / streams; }
  /// A launch of `count` products.
  double seconds(std::int64_t m, std::int64_t n, std::int64_t k, int count = 1) const;
};

/// How much longer than real ones products of these elements take beyond the start of a launch: four times
/// where they are complex, by KernelModel::complex_factor.
constexpr double kernel_factor(const KernelModel& curve, ElementType type) {
  return type.flops_per_term() / ElementType{}.flops_per_term() *
         (type.is_complex ? curve.complex_factor : 1.0);
}

/// Where a product is in the table of factors: between entries `below` and `below + 1`, `share` of the way.
struct FactorPlace {
  std::size_t below = 0;
  double share = 0;  ///< 0 to 1
};
FactorPlace factor_place(std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace foretile
