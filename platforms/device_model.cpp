// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/device_model.hpp"

namespace foretile {

double CacheModel::factor(const ProductSize& size, double cached) const {
  return bytes > 0 ? 1 - cached * (1 - factor_of(factors, size.m, size.n, size.k)) : 1;
}

const KernelModel& DeviceModel::launch_of(Precision precision, std::size_t products) const {
  const KernelModel& several = precision == Precision::f64 ? batched : single_batched;
  return products > 1 && several.known() ? several : kernel_for(precision);
}

double DeviceModel::launch_seconds(Precision precision, std::span<const ProductSize> products) const {
  if (products.empty()) return 0;
  const KernelModel& curve = launch_of(precision, products.size());
  double seconds = curve.start_seconds();
  for (const ProductSize& p : products) seconds += curve.work_seconds(p.m, p.n, p.k);
  return seconds;
}

}  // namespace foretile
