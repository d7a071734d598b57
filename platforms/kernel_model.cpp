#include "platforms/kernel_model.hpp"

#include <algorithm>
#include <cmath>

namespace foretile {

namespace {

double product_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

double factor_of(const KernelModel& model, std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto [below, share] = factor_place(m, n, k);
  const double low = model.factors[below];
  const double high = model.factors[below + 1];
  return low == high ? low : low * std::pow(high / low, share);
}

}  // namespace

/// Neighbouring sizes are a factor of 2 apart, from 2^4 on.
FactorPlace factor_place(std::int64_t m, std::int64_t n, std::int64_t k) {
  const double steps = std::log2(std::max(product_of(m, n, k), 1.0)) / 3 - 4;
  const double inside = std::clamp(steps, 0.0, static_cast<double>(kFactorSizes.size() - 1));
  const std::size_t below = std::min(static_cast<std::size_t>(inside), kFactorSizes.size() - 2);
  return {below, inside - static_cast<double>(below)};
}

double KernelModel::work_seconds(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const double halves = (1 + half_m / static_cast<double>(m)) * (1 + half_n / static_cast<double>(n)) *
                        (1 + half_k / static_cast<double>(k));
  return factor_of(*this, m, n, k) * 2 * product_of(m, n, k) / rate_flops_per_s * halves;
}

double KernelModel::seconds(std::int64_t m, std::int64_t n, std::int64_t k, int count) const {
  return start_seconds() + count * work_seconds(m, n, k);
}

}  // namespace foretile
