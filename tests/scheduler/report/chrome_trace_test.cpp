// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/chrome_trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/random.hpp"

namespace foretile::chrome_trace_test {
namespace {

namespace fs = std::filesystem;

class ChromeTraceTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }
  nlohmann::json read() const { return nlohmann::json::parse(read_text(path_)); }
  fs::path path_ = fs::temp_directory_path() / ("foretile-trace-" + std::to_string(::getpid()) + ".json");
};

TEST_F(ChromeTraceTest, EventsKeepTheirPlaceTimeAndArguments) {
  ChromeTrace trace(path_);
  trace.record({Cause::kernel, 3, 1, 1e-6, 3.5e-6, 0, 4, 5, 6, 1, 0.5e-6});
  trace.finish({});
  const auto events = read().at("traceEvents");
  ASSERT_EQ(events.size(), 5U);  // name and order of the process and of the thread before it
  EXPECT_EQ(events[0].at("args").at("name"), "rank 3");
  EXPECT_EQ(events[2].at("args").at("name"), "device 1 kernels");
  EXPECT_EQ(events[4].at("pid"), 3);
  EXPECT_EQ(events[4].at("tid"), events[2].at("tid"));
  EXPECT_DOUBLE_EQ(events[4].at("ts").get<double>(), 1);
  EXPECT_DOUBLE_EQ(events[4].at("dur").get<double>(), 2.5);
  EXPECT_EQ(events[4].at("args"), (nlohmann::json{{"i", 4}, {"j", 5}, {"k", 6}, {"software_ns", 500}}));
}

TEST_F(ChromeTraceTest, WithoutFinishThereIsNoFile) {
  { ChromeTrace{path_}.record({}); }
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(ChromeTraceTest, NoFolderIsAnInputError) {
  EXPECT_THROW(ChromeTrace("/no/such/folder/t.json"), InputError);
}

TEST_F(ChromeTraceTest, NoEventsAreATrace) {
  ChromeTrace(path_).finish({});
  EXPECT_TRUE(read().at("traceEvents").empty());
}

// Random copies of one device, two at a time, in order of their ends: no thread may hold two that overlap.
TEST_F(ChromeTraceTest, OverlappingEventsHaveDifferentThreads) {
  Random random(11);
  std::vector<TraceEvent> events;
  for (int n = 0; n < 500; ++n) {
    const double start = random.real();
    events.push_back({Cause::h2d, 0, 0, start, start + 0.01 * random.real(), 8, -1, -1, -1});
  }
  std::sort(events.begin(), events.end(), [](const auto& l, const auto& r) { return l.end_s < r.end_s; });
  ChromeTrace trace(path_);
  for (const TraceEvent& event : events) trace.record(event);
  trace.finish({});
  std::map<int, std::vector<std::pair<double, double>>> threads;
  const auto written = read();
  for (const auto& event : written.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const double start = event.at("ts");
    threads[event.at("tid")].emplace_back(start, start + event.at("dur").get<double>());
  }
  EXPECT_GT(threads.size(), 1U);
  for (auto& [thread, times] : threads) {
    std::sort(times.begin(), times.end());
    for (std::size_t n = 1; n < times.size(); ++n) {
      EXPECT_GE(times[n].first, times[n - 1].second - 0.003) << "seed 11, thread " << thread;
    }
  }
}

}  // namespace
}  // namespace foretile::chrome_trace_test
