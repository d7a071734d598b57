// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/kernel_model.hpp"

#include <algorithm>
#include <cmath>
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

double KernelModel::work_seconds(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const double halves = (1 + half_m / static_cast<double>(m)) * (1 + half_n / static_cast<double>(n)) *
                        (1 + half_k / static_cast<double>(k));
  return factor_of(factors, m, n, k) * 2 * product_of(m, n, k) / rate_flops_per_s * halves;
}

double KernelModel::seconds(std::int64_t m, std::int64_t n, std::int64_t k, int count) const {
  return start_seconds() + count * work_seconds(m, n, k);
}

}  // namespace foretile
