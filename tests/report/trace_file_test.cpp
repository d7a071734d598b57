// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "scheduler/report/chrome_trace.hpp"

namespace foretile::trace_file_test {
namespace {

struct Store final : TraceSink {
  void record(const TraceEvent& event) override { events.push_back(event); }
  std::vector<TraceEvent> events;
};

class TraceFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string refused() const {
    Store store;
    try {
      read_trace(path_, store);
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  }
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("foretile-read-trace-" + std::to_string(::getpid()) + ".json");
};

const TraceSubject kSubject{"measured", "p \"<x>\"", "here", "local-b", "0123", 3, 2, 2, 1.5};

TEST_F(TraceFile, HasAllThatWasWritten) {
  Random random(13);
  std::vector<TraceEvent> written;
  ChromeTrace trace(path_);
  double now = 0;
  for (int n = 0; n < 500; ++n) {
    now += 1e-6 * static_cast<double>(random.integer(0, 1000));
    TraceEvent event;
    event.cause = static_cast<Cause>(random.integer(0, kCauses - 1));
    event.rank = Rank::of(random.integer(0, 2));
    const bool on_host =
        event.cause == Cause::network || event.cause == Cause::wait || event.cause == Cause::combine;
    event.device = on_host ? kHost : static_cast<MemoryPlace>(random.integer(0, 1));
    event.start_s = now / 2;
    event.end_s = now;
    event.bytes = event.cause == Cause::kernel ? 0 : random.integer(0, std::int64_t{1} << 40);
    event.i = static_cast<std::int32_t>(random.integer(-1, 9));
    event.k = static_cast<std::int32_t>(random.integer(-1, 9));
    event.products = event.cause == Cause::kernel ? static_cast<std::int32_t>(random.integer(1, 9)) : 0;
    trace.record(event);
    written.push_back(event);
  }
  trace.finish(kSubject);
  Store store;
  const TraceSubject subject = read_trace(path_, store);
  EXPECT_EQ(subject.source, "measured");
  EXPECT_EQ(subject.problem, "p \"<x>\"");
  EXPECT_EQ(subject.ranks_per_node, 2);
  EXPECT_EQ(subject.makespan_s, 1.5);
  ASSERT_EQ(store.events.size(), written.size());
  for (std::size_t n = 0; n < written.size(); ++n) {
    const TraceEvent &found = store.events[n], &event = written[n];
    EXPECT_EQ(found.cause, event.cause) << n;
    EXPECT_EQ(found.rank, event.rank) << n;
    EXPECT_EQ(found.device, event.device) << n;
    EXPECT_EQ(std::tie(found.i, found.j, found.k, found.products, found.bytes),
              std::tie(event.i, event.j, event.k, event.products, event.bytes))
        << n;
    EXPECT_NEAR(found.start_s, event.start_s, 1e-9);
    EXPECT_NEAR(found.end_s, event.end_s, 2e-9);
  }
}

TEST_F(TraceFile, RefusesWhatIsNone) {
  EXPECT_NE(refused().find("cannot be read"), std::string::npos);
  write("hello");
  EXPECT_NE(refused().find("parse error"), std::string::npos);
  write("[1]");
  EXPECT_NE(refused().find("traceEvents"), std::string::npos);
  write(R"({"traceEvents":[]})");
  EXPECT_NE(refused().find("otherData"), std::string::npos);
  const auto with = [&](const std::string& event) {
    write(
        R"({"traceEvents":[)" + event +
        R"(],"otherData":{"source":"measured","problem":"p","platform":"here",)" +
        R"("strategy":"s","digest":"d","ranks":1,"ranks_per_node":1,"devices_per_rank":1,"makespan_s":1}})");
    return refused();
  };
  EXPECT_EQ(with(R"({"name":"send","ph":"X","ts":1,"dur":1,"pid":0,"tid":1000,"args":{}})"), "read");
  EXPECT_NE(with(R"({"name":"sing","ph":"X","ts":1,"dur":1,"pid":0,"tid":0,"args":{}})").find("\"sing\""),
            std::string::npos);
  EXPECT_NE(with(R"({"name":"send","ph":"X","ts":1,"dur":-1,"pid":0,"tid":0,"args":{}})").find("times"),
            std::string::npos);
  EXPECT_NE(with(R"({"name":"send","ph":"X","ts":1,"dur":1,"pid":1,"tid":0,"args":{}})").find("1 ranks"),
            std::string::npos);
  EXPECT_NE(with(R"({"name":"send","ph":"X","ts":"1"})").find("key"), std::string::npos);
  EXPECT_NE(with("7").find("found 7"), std::string::npos);
}

}  // namespace
}  // namespace foretile::trace_file_test
