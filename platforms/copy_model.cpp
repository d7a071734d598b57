// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/copy_model.hpp"

#include <algorithm>

namespace foretile {

namespace {

/// 0: the memory is pinned.
double unpinned_rate(const UnpinnedRates& rates, HostTile from) {
  switch (from) {
    case HostTile::single:
      return rates.initial_bytes_per_s;
    case HostTile::received:
      return rates.received_bytes_per_s;
    case HostTile::made:
      return rates.made_bytes_per_s;
    case HostTile::array:
      break;
  }
  return 0;
}

}  // namespace

CopyCost& CopyCost::operator+=(const CopyCost& other) {
  software_s += other.software_s;
  blocked_s += other.blocked_s;
  linked_bytes += other.linked_bytes;
  return *this;
}

CopyCost copy_in_cost(const Runtime& runtime, const LinkModel& host_to_device, HostTile from,
                      std::int64_t bytes) {
  const double rate = unpinned_rate(runtime.unpinned, from);
  if (rate <= 0) return other_copy_cost(runtime, bytes);
  const double link = host_to_device.bandwidth_bytes_per_s;
  const double reached = link > 0 ? std::min(rate, link) : rate;
  return {runtime.copy_overhead_s, static_cast<double>(bytes) / reached, 0};
}

CopyCost other_copy_cost(const Runtime& runtime, std::int64_t bytes) {
  return {runtime.copy_overhead_s, 0, bytes};
}

double copy_seconds(const CopyCost& cost, const LinkModel& link) {
  const double linked = static_cast<double>(cost.linked_bytes);
  return cost.manager_s() + link.latency_s +
         (link.bandwidth_bytes_per_s > 0 ? linked / link.bandwidth_bytes_per_s : 0.0);
}

}  // namespace foretile
