// SPDX-License-Identifier: BSD-3-Clause
// How long bytes take to pass a link.
#pragma once

#include "platforms/platform.hpp"

namespace foretile {

/// `amount` at a rate, where 0 stands for a rate that never limits.
inline double over(double amount, double rate) {
  return rate > 0 ? amount / rate : 0.0;
}

/// Seconds until `bytes` are there when nothing else uses the link.
inline double link_seconds(const LinkModel& link, double bytes) {
  return link.latency_s + over(bytes, link.bandwidth_bytes_per_s);
}

}  // namespace foretile
