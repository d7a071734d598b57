// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/device_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace foretile {

bool CacheModel::kept_known() const {
  return std::any_of(kept.begin(), kept.end(), [](double share) { return share > 0; });
}

double CacheModel::kept_after(double used) const {
  const double percent = 100 * used / static_cast<double>(bytes);
  if (!kept_known()) return percent <= 100 ? 1 : 0;
  if (percent > kReuseDistances.back()) return 0;
  const double place = std::max(0.0, std::log2(percent / kReuseDistances.front()));
  const auto below = std::min(static_cast<std::size_t>(place), kept.size() - 2);
  return std::lerp(kept[below], kept[below + 1], place - static_cast<double>(below));
}

double CacheModel::factor(const ProductSize& size, double cached) const {
  return bytes > 0 ? 1 - cached * (1 - factor_of(factors, size.m, size.n, size.k)) : 1;
}

const KernelModel& DeviceModel::kernel_for(Precision precision) const {
  if (precision == Precision::f32) return single;
  if (arithmetic == "vector") return vector;
  return arithmetic == "emulated" ? emulated : kernel;
}

const KernelModel& DeviceModel::launch_of(Precision precision, std::size_t products) const {
  const KernelModel& one = kernel_for(precision);
  if (products <= 1 || &one == &vector || &one == &emulated) return one;
  const KernelModel& several = precision == Precision::f64 ? batched : single_batched;
  return several.known() ? several : one;
}

double DeviceModel::launch_start_seconds(Precision precision, std::size_t products) const {
  const KernelModel& curve = launch_of(precision, products);
  return curve.start_seconds() * (&curve == &emulated ? static_cast<double>(products) : 1);
}

double DeviceModel::launch_seconds(Precision precision, std::span<const ProductSize> products) const {
  if (products.empty()) return 0;
  const KernelModel& curve = launch_of(precision, products.size());
  double seconds = launch_start_seconds(precision, products.size());
  for (const ProductSize& p : products) seconds += curve.work_seconds(p.m, p.n, p.k);
  return seconds;
}

}  // namespace foretile
