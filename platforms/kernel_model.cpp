#include "platforms/kernel_model.hpp"

namespace foretile {

double KernelModel::work_seconds(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const auto dm = static_cast<double>(m);
  const auto dn = static_cast<double>(n);
  const auto dk = static_cast<double>(k);
  return 2 * dm * dn * dk / rate_flops_per_s * (1 + half_m / dm) * (1 + half_n / dn) * (1 + half_k / dk);
}

double KernelModel::seconds(std::int64_t m, std::int64_t n, std::int64_t k, int count) const {
  return start_seconds() + count * work_seconds(m, n, k);
}

}  // namespace foretile
