#include "scheduler/report.hpp"

#include <gtest/gtest.h>

#include "platforms/loader.hpp"
#include "scheduler/report_json.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile {
namespace {

Machine small_machine() {
  MachineSize size;
  size.nodes = 2;
  return make_machine(parse_platform(small_platform, "small.toml"), size);
}

/// Two ranks of two devices; the second rank ends last, at 10 s.
std::vector<RankStatistics> two_ranks() {
  std::vector<RankStatistics> ranks(2);
  for (RankStatistics& rank : ranks) {
    rank.devices.resize(2);
    for (DeviceStatistics& device : rank.devices) {
      device.kernels = 10;
      device.flops = 1e9;
      device.kernel_s = 5;
      device.h2d_bytes = 100;
    }
    rank.generate_s = 20;  // of 4 cores x 10 s
    rank.sent_bytes = 7;
    rank.finish_s = 9;
    rank.critical = Path{}.plus(Cause::kernel, 9);
  }
  ranks[1].finish_s = 10;
  ranks[1].critical = Path{}.plus(Cause::generate, 8).plus(Cause::kernel, 2);
  ranks[1].devices[0].evictions = 3;
  ranks[1].devices[1].kernel_s = 9;
  ranks[1].devices[1].peak_bytes = 1000;
  return ranks;
}

TEST(Report, AddsUpRanksAndDevices) {
  const Report report = make_report(two_ranks(), small_machine(), {2, 1}, 10);
  EXPECT_EQ(report.gemms, 40);
  EXPECT_EQ(report.devices, 4);
  EXPECT_DOUBLE_EQ(report.flops_per_s(), 4e8);
  EXPECT_EQ(report.bytes.network, 14);
  EXPECT_EQ(report.bytes.h2d, 400);
  EXPECT_DOUBLE_EQ(report.busy.kernels.min, 0.5);
  EXPECT_DOUBLE_EQ(report.busy.kernels.mean, 0.6);  // (3 x 0.5 + 0.9) / 4
  EXPECT_DOUBLE_EQ(report.busy.kernels.max, 0.9);
  EXPECT_DOUBLE_EQ(report.busy.generation.mean, 0.5);
  EXPECT_DOUBLE_EQ(report.peak_device_bytes.max, 1000);
  EXPECT_EQ(report.device_budget_bytes, std::int64_t{8} << 30);
}

TEST(Report, LimitIsThatOfTheRankThatEndsLast) {
  Report report = make_report(two_ranks(), small_machine(), {2, 1}, 10);
  EXPECT_EQ(limit_sentence(report),
            "generation of B takes 80% of the critical path: more cores or fewer copies of B (smaller "
            "grid.p) help");
  report.grid = {1, 2};  // there is only one copy of B
  EXPECT_EQ(limit_sentence(report),
            "generation of B takes 80% of the critical path: more cores or more nodes help");
  EXPECT_TRUE(report_text(report).starts_with(limit_sentence(report)));
}

TEST(Report, EmptyRunsAreNoDivisionByZero) {
  const Report report = make_report({}, small_machine(), {}, 0);
  EXPECT_EQ(limit_sentence(report), "nothing to do");
  EXPECT_EQ(report.flops_per_s(), 0);
  EXPECT_EQ(report.busy.kernels.mean, 0);
  EXPECT_EQ(report_json(report).at("flops_per_s"), 0);
  EXPECT_EQ(report_text(report).find("nan"), std::string::npos);
}

TEST(Report, NamesTheSourceOfSoftwareCosts) {
  MachineSize size;
  size.nodes = 2;
  const Machine machine =
      make_machine(parse_platform(small_platform, "s.toml", {"platform.runtime.source=foretile-run"}), size);
  const Report report = make_report(two_ranks(), machine, {2, 1}, 10);
  EXPECT_EQ(report_json(report).at("runtime_source"), "foretile-run");
  EXPECT_NE(report_text(report).find("software costs        those of foretile-run\n"), std::string::npos)
      << report_text(report);
}

TEST(Report, JsonHasWhatScriptsRelyOn) {
  const auto json = report_json(make_report(two_ranks(), small_machine(), {2, 1}, 10));
  EXPECT_EQ(json.at("makespan_s"), 10.0);
  EXPECT_EQ(json.at("gemms"), 40);
  for (const char* kind : {"network", "h2d", "d2d", "d2h", "generated"})
    EXPECT_TRUE(json.at("bytes").contains(kind)) << kind;
  ASSERT_EQ(json.at("per_device").size(), 4U);
  EXPECT_EQ(json.at("per_device")[2].dump(),
            R"({"rank":1,"device":0,"gemms":10,"loads":{"host":0,"peer":0,"hits":0,"evictions":3},)"
            R"("bytes":{"h2d":100,"d2d":0,"d2h":0}})");
  EXPECT_DOUBLE_EQ(json.at("limits").at("generate").get<double>(), 8);
  EXPECT_DOUBLE_EQ(json.at("busy").at("kernels").at("max").get<double>(), 0.9);
}

}  // namespace
}  // namespace foretile
