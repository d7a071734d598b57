// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How much happens when: a timeline in equal parts of its time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "report/timeline.hpp"

namespace foretile {

/// Equal parts of the time from 0 to Timeline::end().
struct Bins {
  int count = 1;
  double ticks = 1;  ///< of each

  /// More for few lanes: up to 2048, and at most 2^22 shares in all.
  static Bins of(const Timeline& timeline, std::size_t lanes);

  /// Calls visit(bin, share) for each bin that [start, end) has a part of; the shares of the interval sum to
  /// 1. An empty interval is in the bin of its start.
  template <class Visit>
  void split(std::int64_t start, std::int64_t end, const Visit& visit) const {
    const auto bin_of = [&](double tick) { return std::clamp(static_cast<int>(tick / ticks), 0, count - 1); };
    const auto from = static_cast<double>(start), to = static_cast<double>(end);
    const int first = bin_of(from), last = bin_of(to);
    if (first == last || end <= start) return visit(first, 1.0);
    for (int bin = first; bin <= last; ++bin) {
      const double inside = std::min(to, ticks * (bin + 1)) - std::max(from, ticks * bin);
      if (inside > 0) visit(bin, inside / (to - from));
    }
  }
};

/// Of one lane: the share of each bin during which it has an operation, from 0 to 1.
std::vector<double> busy_shares(const TimelineLane& lane, const Bins& bins);

/// Of all operations of a cause.
struct CauseTotal {
  std::int64_t operations = 0;
  double seconds = 0;  ///< of each, added
  double bytes = 0;
};

/// By cause: kCauses of them.
std::vector<CauseTotal> totals_by_cause(const Timeline& timeline);

/// Sums over all lanes, by bin.
struct TimelineSums {
  std::vector<double> busy;   ///< seconds with an operation, of all lanes
  std::vector<double> bytes;  ///< that they move or make
};

/// By cause: kCauses of them.
std::vector<TimelineSums> sums_by_cause(const Timeline& timeline, const Bins& bins);

/// Bytes in use, by bin.
struct MemoryCurve {
  std::vector<double> mean;  ///< over devices and the time of the bin
  std::vector<double> most;  ///< at any time of the bin, on any device
};

MemoryCurve memory_curve(const Timeline& timeline, const Bins& bins);

}  // namespace foretile
