// When copies to a device will have arrived, as far as the scheduler can tell beforehand.
#pragma once

#include <algorithm>
#include <cstdint>

#include "platforms/platform.hpp"

namespace foretile {

/// Figures of the platform.
struct CopyCosts {
  double overhead_s = 0;  ///< software cost of one tile; one tile at a time per device
  LinkModel host;         ///< from the host to a device
  LinkModel peer;         ///< between devices
};

/// Copies to one device, in the order in which they start. Other devices' use of shared links is not known
/// here, so arrivals are never later than estimated only where nothing else uses them.
class CopyEstimate {
 public:
  /// Seconds at which a copy that starts now, or as soon as its tiles are there, has arrived.
  double arrival_s(const CopyCosts& costs, bool from_host, std::int64_t tiles, std::int64_t bytes,
                   double now_s, double there_s = 0) const {
    const LinkModel& link = from_host ? costs.host : costs.peer;
    return wire_start_s(costs, from_host, tiles, std::max(now_s, there_s)) + wire_s(link, bytes);
  }
  void started(const CopyCosts& costs, bool from_host, std::int64_t tiles, std::int64_t bytes, double now_s) {
    const double arrival = arrival_s(costs, from_host, tiles, bytes, now_s);
    software_free_s_ = std::max(software_free_s_, now_s) + costs.overhead_s * static_cast<double>(tiles);
    if (from_host) link_free_s_ = arrival;
  }

 private:
  double wire_start_s(const CopyCosts& costs, bool from_host, std::int64_t tiles, double start_s) const {
    const double ready_s =
        std::max(software_free_s_, start_s) + costs.overhead_s * static_cast<double>(tiles);
    return from_host ? std::max(ready_s, link_free_s_) : ready_s;
  }
  static double wire_s(const LinkModel& link, std::int64_t bytes) {
    const double rate = link.bandwidth_bytes_per_s;
    return link.latency_s + (rate > 0 ? static_cast<double>(bytes) / rate : 0.0);
  }

  double software_free_s_ = 0;
  double link_free_s_ = 0;  // from the host
};

}  // namespace foretile
