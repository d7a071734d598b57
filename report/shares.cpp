// SPDX-License-Identifier: BSD-3-Clause
#include "report/shares.hpp"

#include <algorithm>

namespace foretile {

namespace {

constexpr std::size_t kMostShares = std::size_t{1} << 22;
constexpr int kFewestBins = 64, kMostBins = 2048;

}  // namespace

Bins Bins::of(const Timeline& timeline, std::size_t lanes) {
  int count = kMostBins;
  while (count > kFewestBins && static_cast<std::size_t>(count) * lanes > kMostShares) count /= 2;
  return {count, std::max(1.0, static_cast<double>(timeline.end())) / count};
}

std::vector<double> busy_shares(const TimelineLane& lane, const Bins& bins) {
  std::vector<double> shares(static_cast<std::size_t>(bins.count));
  for (const TimelineBlock& block : lane.blocks) {
    for (const TimelineOperation& operation : decoded(block)) {
      const auto length = static_cast<double>(operation.end - operation.start);
      bins.split(operation.start, operation.end, [&](int bin, double share) {
        shares[static_cast<std::size_t>(bin)] += share * length / bins.ticks;
      });
    }
  }
  return shares;
}

std::vector<CauseTotal> totals_by_cause(const Timeline& timeline) {
  std::vector<CauseTotal> totals(kCauses);
  for (const TimelineLane* lane : timeline.lanes()) {
    for (const TimelineBlock& block : lane->blocks) {
      for (const TimelineOperation& operation : decoded(block)) {
        CauseTotal& total = totals[static_cast<std::size_t>(operation.cause)];
        ++total.operations;
        total.seconds += static_cast<double>(operation.end - operation.start) * timeline.tick_s();
        total.bytes += static_cast<double>(operation.bytes);
      }
    }
  }
  return totals;
}

std::vector<TimelineSums> sums_by_cause(const Timeline& timeline, const Bins& bins) {
  const auto count = static_cast<std::size_t>(bins.count);
  std::vector<TimelineSums> sums(kCauses, {std::vector<double>(count), std::vector<double>(count)});
  for (const TimelineLane* lane : timeline.lanes()) {
    for (const TimelineBlock& block : lane->blocks) {
      for (const TimelineOperation& operation : decoded(block)) {
        TimelineSums& of_cause = sums[static_cast<std::size_t>(operation.cause)];
        const double seconds = static_cast<double>(operation.end - operation.start) * timeline.tick_s();
        bins.split(operation.start, operation.end, [&](int bin, double share) {
          of_cause.busy[static_cast<std::size_t>(bin)] += share * seconds;
          of_cause.bytes[static_cast<std::size_t>(bin)] += share * static_cast<double>(operation.bytes);
        });
      }
    }
  }
  return sums;
}

namespace {

/// Adds what one device has; before its first level it has nothing.
void add_levels(const std::vector<MemoryLevel>& levels, std::int64_t end, const Bins& bins,
                MemoryCurve& curve) {
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const std::int64_t until = n + 1 < levels.size() ? levels[n + 1].from : end;
    const double ticks = static_cast<double>(until - levels[n].from);
    const auto bytes = static_cast<double>(levels[n].bytes);
    bins.split(levels[n].from, until, [&](int bin, double share) {
      const auto index = static_cast<std::size_t>(bin);
      curve.mean[index] += share * ticks / bins.ticks * bytes;
      curve.most[index] = std::max(curve.most[index], bytes);
    });
  }
}

}  // namespace

MemoryCurve memory_curve(const Timeline& timeline, const Bins& bins) {
  const auto count = static_cast<std::size_t>(bins.count);
  MemoryCurve curve{std::vector<double>(count), std::vector<double>(count)};
  const std::vector<std::vector<MemoryLevel>> devices = timeline.memory_levels();
  for (const std::vector<MemoryLevel>& levels : devices) add_levels(levels, timeline.end(), bins, curve);
  for (double& mean : curve.mean) mean /= static_cast<double>(std::max<std::size_t>(1, devices.size()));
  return curve;
}

}  // namespace foretile
