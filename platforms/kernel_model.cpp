#include "platforms/kernel_model.hpp"

namespace foretile {

double KernelModel::seconds(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const auto dm = static_cast<double>(m);
  const auto dn = static_cast<double>(n);
  const auto dk = static_cast<double>(k);
  const double small = (1 + half_m / dm) * (1 + half_n / dn) * (1 + half_k / dk);
  return latency_s / streams + 2 * dm * dn * dk / rate_flops_per_s * small;
}

}  // namespace foretile
