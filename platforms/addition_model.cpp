#include "platforms/addition_model.hpp"

namespace foretile {

double addition_seconds(const Platform& p, std::int64_t bytes) {
  constexpr double kMoved = 3;
  const auto added = static_cast<double>(bytes);
  if (p.cached_addition_bytes_per_s_per_core > 0 && 2 * bytes <= p.device.cache.bytes)
    return added / p.cached_addition_bytes_per_s_per_core;
  if (p.addition_bytes_per_s_per_core > 0) return added / p.addition_bytes_per_s_per_core;
  const double share = p.memory_bandwidth_bytes_per_s / p.cores_per_socket;
  return share > 0 ? kMoved * added / share : 0;
}

}  // namespace foretile
