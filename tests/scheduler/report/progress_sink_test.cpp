// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/progress_sink.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace foretile::progress_sink_test {
namespace {

struct Counter final : TraceSink {
  void record(const TraceEvent&) override { ++events; }
  int events = 0;
};

TraceEvent kernel(std::int32_t products) {
  TraceEvent event;
  event.products = products;
  return event;
}

TEST(ProgressSink, CountsProductsAndHandsOn) {
  std::vector<std::int64_t> told;
  Counter next;
  ProgressSink sink([&](std::int64_t products) { told.push_back(products); }, 2, &next);
  for (const std::int32_t products : {3, 0, 5, 1, 7}) sink.record(kernel(products));
  EXPECT_EQ(told, (std::vector<std::int64_t>{3, 9}));
  EXPECT_EQ(next.events, 5);
}

TEST(ProgressSink, NeedsNoOtherSink) {
  std::int64_t told = 0;
  ProgressSink sink([&](std::int64_t products) { told = products; }, 1, nullptr);
  sink.record(kernel(4));
  EXPECT_EQ(told, 4);
}

}  // namespace
}  // namespace foretile::progress_sink_test
