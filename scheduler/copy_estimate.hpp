// SPDX-License-Identifier: BSD-3-Clause
// When copies to a device will have arrived, as far as the scheduler can tell beforehand.
#pragma once

#include <algorithm>

#include "platforms/cost/copy.hpp"

namespace foretile {

/// Figures of the platform.
struct CopyCosts {
  Runtime runtime;
  LinkModel host;  ///< from the host to a device
  LinkModel peer;  ///< between devices
};

/// Copies to one device, in the order in which they start: its manager takes one after the other, and so does
/// its link from the host. Other devices' use of shared links is not known here, so a copy may arrive later
/// than estimated.
class CopyEstimate {
 public:
  /// Seconds at which a copy over `link` has arrived that starts at `start_s` at the earliest.
  double arrival_s(const LinkModel& link, bool from_host, const CopyCost& cost, double start_s) const {
    const double ready_s = std::max(manager_free_s_, start_s) + cost.manager_s();
    const bool queues = from_host && cost.linked_bytes > 0;
    return (queues ? std::max(ready_s, link_free_s_) : ready_s) + link.latency_s +
           over(static_cast<double>(cost.linked_bytes), link.bandwidth_bytes_per_s);
  }
  void started(const LinkModel& link, bool from_host, const CopyCost& cost, double now_s) {
    if (from_host && cost.linked_bytes > 0) link_free_s_ = arrival_s(link, from_host, cost, now_s);
    manager_free_s_ = std::max(manager_free_s_, now_s) + cost.manager_s();
  }

 private:
  double manager_free_s_ = 0;
  double link_free_s_ = 0;  // from the host
};

}  // namespace foretile
