// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/copy.hpp"

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
    case HostTile::generated:
      return rates.generated_bytes_per_s;
    case HostTile::array:
      return rates.array_bytes_per_s;
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
  return cost.manager_s() + link.latency_s +
         over(static_cast<double>(cost.linked_bytes), link.bandwidth_bytes_per_s);
}

double store_seconds(const Platform& p, bool on_gpu, std::int64_t bytes) {
  return p.runtime.copy_overhead_s +
         (on_gpu ? link_seconds(p.links.device_to_host, static_cast<double>(bytes)) : 0.0);
}

double device_loads_s(const Platform& p, double bytes, int peers) {
  const double in = p.links.host_to_device.bandwidth_bytes_per_s;
  const double peer = p.links.peer.bandwidth_bytes_per_s;
  return in > 0 && (peer > 0 || peers == 0) ? bytes / (in + peers * peer) : 0.0;
}

}  // namespace foretile
