// SPDX-License-Identifier: BSD-3-Clause
#include "report/shares.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.hpp"

namespace foretile::shares_test {
namespace {

/// Ticks of 1 ns; the last operation ends at 1000.
Timeline two_copies() {
  Timeline timeline(0.01);
  timeline.record({Cause::h2d, 0, 0, 100e-9, 350e-9, 500});
  timeline.record({Cause::h2d, 0, 0, 950e-9, 1000e-9, 100});
  timeline.finish();
  return timeline;
}

TEST(Bins, AreFewerForManyLanes) {
  const Timeline timeline = two_copies();
  EXPECT_EQ(Bins::of(timeline, 1).count, 2048);
  EXPECT_EQ(Bins::of(timeline, 8192).count, 512);
  EXPECT_EQ(Bins::of(timeline, 1'000'000).count, 64);
}

/// In bins of 250 ticks: 150 of the first, 100 of the second, 50 of the last.
TEST(BusyShares, AreOfEachBin) {
  const Timeline timeline = two_copies();
  const Bins bins{4, 250};
  EXPECT_EQ(busy_shares(*timeline.lanes()[0], bins), (std::vector{0.6, 0.4, 0.0, 0.2}));
}

TEST(TotalsByCause, AddOperations) {
  const std::vector<CauseTotal> totals = totals_by_cause(two_copies());
  const CauseTotal& copies = totals[static_cast<std::size_t>(Cause::h2d)];
  EXPECT_EQ(copies.operations, 2);
  EXPECT_NEAR(copies.seconds, 300e-9, 1e-15);
  EXPECT_EQ(copies.bytes, 600);
  EXPECT_EQ(totals[static_cast<std::size_t>(Cause::kernel)].operations, 0);
}

/// The first copy has 2 bytes a tick, the second 2.
TEST(SumsByCause, SpreadBytesOverTheirTime) {
  const Timeline timeline = two_copies();
  const TimelineSums sums = sums_by_cause(timeline, {4, 250})[static_cast<std::size_t>(Cause::h2d)];
  const std::vector<double> bytes{300, 200, 0, 100};
  for (std::size_t bin = 0; bin < bytes.size(); ++bin) {
    EXPECT_NEAR(sums.bytes[bin], bytes[bin], 1e-9);
    EXPECT_NEAR(sums.busy[bin], bytes[bin] / 2 * 1e-9, 1e-18);
  }
}

/// Device 0 has 100 bytes from tick 0, 300 from 125 and 200 from 500 to 1000; device 1 400 from 750.
TEST(MemoryCurve, HoldsLevels) {
  Timeline timeline(0.01);
  const auto load = [&](MemoryPlace device, double start_s, double end_s, std::int64_t level) {
    TraceEvent event{Cause::h2d, 0, device, start_s, end_s, 8};
    event.device_bytes = level;
    timeline.record(event);
  };
  load(0, 125e-9, 150e-9, 300);
  load(0, 0, 200e-9, 100);  // ends later
  load(0, 500e-9, 900e-9, 200);
  load(1, 750e-9, 1000e-9, 400);
  timeline.finish();
  const MemoryCurve curve = memory_curve(timeline, {4, 250});
  EXPECT_EQ(curve.mean, (std::vector{100.0, 150.0, 100.0, 300.0}));
  EXPECT_EQ(curve.most, (std::vector{300.0, 300.0, 200.0, 400.0}));
}

TEST(Bins, SplitNothingAway) {
  Random random(7);
  for (int n = 0; n < 1000; ++n) {
    const Bins bins{static_cast<int>(random.integer(1, 100)),
                    static_cast<double>(random.integer(1, 1000)) / 7};
    const auto end = static_cast<std::int64_t>(bins.ticks * bins.count);
    const std::int64_t start = random.integer(0, end), last = random.integer(start, end);
    double sum = 0;
    bins.split(start, last, [&](int bin, double share) {
      EXPECT_GE(bin, 0);
      EXPECT_LT(bin, bins.count);
      sum += share;
    });
    EXPECT_NEAR(sum, 1, 1e-9) << bins.count << " bins of " << bins.ticks << ", " << start << " to " << last;
  }
}

}  // namespace
}  // namespace foretile::shares_test
