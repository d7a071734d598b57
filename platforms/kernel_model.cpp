// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/kernel_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace foretile {

namespace {

double product_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

}  // namespace

double factor_of(const SizeFactors& factors, std::int64_t m, std::int64_t n, std::int64_t k) {
  if (factors == kNoFactors) return 1;
  const auto [below, share] = factor_place(m, n, k);
  const double low = factors[below];
  const double high = factors[below + 1];
  return low == high ? low : low * std::pow(high / low, share);
}

namespace {

FactorPlace place_of(double size) {
  std::size_t below = 0;
  while (below + 2 < kFactorSizes.size() && size >= kFactorSizes[below + 1]) ++below;
  const double low = kFactorSizes[below];
  const double high = kFactorSizes[below + 1];
  return {below, std::log(std::clamp(size, low, high) / low) / std::log(high / low)};
}

}  // namespace

FactorPlace factor_place(std::int64_t m, std::int64_t n, std::int64_t k) {
  return place_of(std::cbrt(product_of(m, n, k)));
}

void complete(SizeFactors& factors) {
  std::vector<std::size_t> given;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] > 0) given.push_back(i);
  }
  if (given.empty()) {
    factors = kNoFactors;
    return;
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] > 0) continue;
    const auto above = std::upper_bound(given.begin(), given.end(), i);
    const std::size_t high = above == given.end() ? given.back() : *above;
    const std::size_t low = above == given.begin() ? given.front() : *(above - 1);
    const double share = low == high ? 0.0
                                     : std::log(1.0 * kFactorSizes[i] / kFactorSizes[low]) /
                                           std::log(1.0 * kFactorSizes[high] / kFactorSizes[low]);
    factors[i] = factors[low] * std::pow(factors[high] / factors[low], share);
  }
}

namespace {

double logarithm(std::int64_t extent) {
  return std::log2(static_cast<double>(extent));
}

double squared(double x) {
  return x * x;
}

/// Of the curve without factors, for a rate of 1 flop/s.
double unit_seconds(double half, const KernelPoint& x) {
  return 2 * x.m * x.n * x.k * (1 + half / x.m) * (1 + half / x.n) * (1 + half / x.k);
}

struct MeanAndSquares {
  double mean = 0, squares = 0;
};

/// Of ln(measured / curve) with that half size.
MeanAndSquares deviation(const std::vector<KernelPoint>& points, double half) {
  MeanAndSquares found;
  std::vector<double> logs;
  for (const KernelPoint& x : points)
    logs.push_back(std::log(2 * x.m * x.n * x.k / x.flops_per_s / unit_seconds(half, x)));
  for (const double log : logs) found.mean += log / static_cast<double>(logs.size());
  for (const double log : logs) found.squares += squared(log - found.mean);
  return found;
}

/// From 0 to 4096 in steps of a tenth of the size: squares are flat near their least.
double best_half(const std::vector<KernelPoint>& points) {
  double best = 0;
  for (double half = 1; half < 4096; half *= 1.1) {
    if (deviation(points, half).squares < deviation(points, best).squares) best = half;
  }
  return best;
}

}  // namespace

void KernelModel::use_points() {
  if (points.empty()) return;
  if (!known()) {
    half_m = half_n = half_k = best_half(points);
    rate_flops_per_s = std::exp(-deviation(points, half_m).mean);
  }
  const std::vector<KernelPoint> given = std::move(points);
  points.clear();  // so that the curve is without them
  std::vector<KernelPoint> ready = given;
  for (KernelPoint& x : ready) {
    const double seconds = 2 * x.m * x.n * x.k / x.flops_per_s;
    x.log_m = std::log2(x.m);
    x.log_n = std::log2(x.n);
    x.log_k = std::log2(x.k);
    x.log_factor = std::log(seconds / work_seconds(std::llround(x.m), std::llround(x.n), std::llround(x.k)));
  }
  points = std::move(ready);
}

double KernelModel::point_factor(std::int64_t m, std::int64_t n, std::int64_t k) const {
  if (points.empty()) return 1;
  constexpr double kNear = 1e-6;  // of two points at one place both count
  const double log_m = logarithm(m), log_n = logarithm(n), log_k = logarithm(k);
  double weights = 0, sum = 0;
  for (const KernelPoint& x : points) {
    const double distance = squared(x.log_m - log_m) + squared(x.log_n - log_n) + squared(x.log_k - log_k);
    const double weight = 1 / squared(distance + kNear);
    weights += weight;
    sum += weight * x.log_factor;
  }
  return std::exp(sum / weights);
}

double KernelModel::work_seconds(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const double halves = (1 + half_m / static_cast<double>(m)) * (1 + half_n / static_cast<double>(n)) *
                        (1 + half_k / static_cast<double>(k));
  return factor_of(factors, m, n, k) * point_factor(m, n, k) * 2 * product_of(m, n, k) / rate_flops_per_s *
         halves;
}

double KernelModel::seconds(std::int64_t m, std::int64_t n, std::int64_t k, int count) const {
  return start_seconds() + count * work_seconds(m, n, k);
}

}  // namespace foretile
