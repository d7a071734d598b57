// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/report.hpp"

#include <gtest/gtest.h>

#include "planner/problem/kinds/dense.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/loader.hpp"
#include "scheduler/report/report_json.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::report_report_test {
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
    rank.critical = Path{}.plus(Cause::kernel, Part::work, 9);
  }
  ranks[1].finish_s = 10;
  ranks[1].critical = Path{}.plus(Cause::generate, Part::work, 8).plus(Cause::kernel, Part::work, 2);
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

/// 10 s of 2 x 400 W and 4 x 100 W: 12 kJ. 44 core-seconds of generation and additions are 11 s of a node's 4
/// cores, 24 device-seconds 12 s of its 2 GPUs, which is more: x 500 W, 6 kJ. 24 device-seconds x 600 W: 14.4
/// kJ.
TEST(Report, JoulesWherePowerIsKnown) {
  Plan plan;
  plan.device_classes = {DeviceClass{}};
  plan.ranks.resize(2);
  for (RankPlan& rank : plan.ranks) rank.devices.resize(2);
  std::vector<RankStatistics> ranks = two_ranks();
  ranks[0].combine_core_s = 4;
  Machine machine = small_machine();
  EXPECT_FALSE(energy_of(ranks, machine, plan, 10));
  machine.platform.power = {100, 700, 400, 900};
  Report report = make_report(ranks, machine, {2, 1}, 10);
  EXPECT_EQ(report_text(report).find("energy"), std::string::npos);
  EXPECT_FALSE(report_json(report).contains("joules"));
  report.energy = energy_of(ranks, machine, plan, 10);
  ASSERT_TRUE(report.energy);
  EXPECT_DOUBLE_EQ(report.energy->joules, 32.4e3);
  EXPECT_FALSE(report.energy->is_guess);
  EXPECT_NE(report_text(report).find("  energy                32.4 kJ\n"), std::string::npos)
      << report_text(report);
  report.energy->is_guess = true;
  EXPECT_EQ(energy_text(*report.energy), "about 32.4 kJ");
  EXPECT_DOUBLE_EQ(report_json(report).at("joules").get<double>(), 32.4e3);
  EXPECT_EQ(report_json(report).at("energy_is_guess"), true);
}

/// Teams of 3 cores multiply for 24 s: with the 40 s that generate 112 core-seconds. The two nodes with 4
/// cores each have 80 at most: 20 s x 500 W.
TEST(Report, JoulesOfTeamsOfCores) {
  Plan plan;
  plan.device_classes = {{DeviceKind::core, 0, 3}};
  plan.ranks.resize(2);
  for (RankPlan& rank : plan.ranks) rank.devices.resize(2);
  Machine machine = small_machine();
  machine.platform.device.kind = DeviceKind::core;
  machine.platform.power = {0, 0, 400, 900};
  EXPECT_DOUBLE_EQ(*joules_of(two_ranks(), machine, plan, 10), 8e3 + 10e3);
  plan.device_classes = {{DeviceKind::core, 0, 1}};  // 24 + 40 core-seconds: 16 s
  EXPECT_DOUBLE_EQ(*joules_of(two_ranks(), machine, plan, 10), 8e3 + 8e3);
}

TEST(Report, TellsWhatTheGridLeavesOut) {
  const Report all = make_report(two_ranks(), small_machine(), {2, 1}, 10);
  EXPECT_NE(report_text(all).find("  ranks, devices        2, 4\n"), std::string::npos) << report_text(all);
  const Report one = make_report(two_ranks(), small_machine(), {1, 1}, 10);
  EXPECT_NE(report_text(one).find("  ranks, devices        2, 4; 1 rank has no work\n"), std::string::npos);
  EXPECT_EQ(report_json(one).at("idle_ranks"), 1);
}

/// 10 s are 2.5 times 4 s and 5 times 2 s; a bound without anything to do is no number.
TEST(Report, BoundsBesideTheMakespan) {
  Report report = make_report(two_ranks(), small_machine(), {2, 1}, 10);
  EXPECT_EQ(report_text(report).find("bound of"), std::string::npos);
  EXPECT_FALSE(report_json(report).contains("bound_s"));
  report.bounds = {{4, "copies"}, {2, "products"}};
  const std::string text = report_text(report);
  EXPECT_NE(text.find("  bound of this plan    4 s, copies (2.50 times that)"), std::string::npos) << text;
  EXPECT_NE(text.find("  bound of any plan     2 s, products (5.00 times that)\n"), std::string::npos)
      << text;
  EXPECT_EQ(report_json(report).at("bound_s"), 4);
  EXPECT_EQ(report_json(report).at("bound"), "copies");
  EXPECT_EQ(report_json(report).at("problem_bound_s"), 2);
  EXPECT_EQ(report_json(report).at("problem_bound"), "products");
  report.limits = {};
  report.limits.parts[static_cast<std::size_t>(Cause::h2d)][0] = 5;
  report.limits.parts[static_cast<std::size_t>(Cause::network)][0] = 3;
  report.limits.parts[static_cast<std::size_t>(Cause::kernel)][0] = 2;
  report.bounds->plan.work.copies = true;  // 4 of the 5 s
  EXPECT_NE(report_text(report).find("(2.50 times that); the rest is 3 s of network and 2 s of kernel"),
            std::string::npos)
      << report_text(report);
  report.bounds->problem = {};
  EXPECT_NE(report_text(report).find("  bound of any plan     nothing to do\n"), std::string::npos);
}

/// The path shows what takes time, not what would help.
TEST(Report, LimitIsThatOfTheRankThatEndsLast) {
  const Report report = make_report(two_ranks(), small_machine(), {2, 1}, 10);
  EXPECT_EQ(limit_sentence(report), "generation of B takes 80% of the critical path");
  EXPECT_TRUE(report_text(report).starts_with(limit_sentence(report)));
}

std::string limit_of(const Path& path) {
  std::vector<RankStatistics> ranks = two_ranks();
  ranks[1].critical = path;
  return limit_sentence(make_report(ranks, small_machine(), {2, 1}, 10));
}

/// 5 of 10 s are the network's, but its links have 2 of them: the software of all copies takes 4.
TEST(Report, SoftwareIsALimitOfItsOwn) {
  const Path path = Path{}
                        .plus(Cause::network, Part::work, 2)
                        .plus(Cause::network, Part::software, 3)
                        .plus(Cause::h2d, Part::software, 2.5)
                        .plus(Cause::d2h, Part::software, 1.5)
                        .plus(Cause::kernel, Part::work, 1);
  EXPECT_EQ(limit_of(path), "the software cost of copies takes 40% of the critical path");
}

/// 1.75 of 2.5 s for one tile.
TEST(Report, NamesTheLongestOperation) {
  const Path path = Path{}.plus(Cause::generate, Part::work, 0.75).plus({Cause::generate, 1.75, 525'000'000});
  EXPECT_EQ(limit_of(path),
            "generation of B takes 100% of the critical path, 70% of it for generating 525 MB");
}

TEST(Report, QuotesTheLargestSavingThatWasMeasured) {
  Report report = make_report(two_ranks(), small_machine(), {2, 1}, 10);
  report.what_if = WhatIf{12, 13, {{"message software", "platform.runtime.message_overhead=1e-6", 8, 4}}, {}};
  EXPECT_EQ(
      limit_sentence(report),
      "generation of B takes 80% of the critical path; message software twice as good saves most, 4 s of "
      "12 s");
  EXPECT_EQ(report_json(report).at("what_if")[0].dump(),
            R"({"resource":"message software","set":"platform.runtime.message_overhead=1e-6",)"
            R"("makespan_s":8.0,"saved_s":4.0,"in_full":true})");
  EXPECT_EQ(report_json(report).at("what_if_unchanged").dump(),
            R"({"makespan_s":12.0,"coarse_makespan_s":13.0})");
  report.what_if->rows.front().saved_s = 0.1;
  EXPECT_TRUE(limit_sentence(report).ends_with("; nothing twice as good saves more than 1%"));
}

TEST(Report, KernelsOfUnequalDevicesAreTold) {
  EXPECT_EQ(
      limit_of(Path{}.plus(Cause::kernel, Part::work, 10)),
      "multiplying on the devices takes 100% of the critical path; devices multiply for 50% to 90% of the "
      "time");
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

/// 2 x 2 tiles of 10 x 10, 800 bytes each, on two ranks: what the model says stands beside what was counted.
TEST(Report, HasWhatTheModelPredicts) {
  DenseParameters parameters;
  parameters.m = parameters.n = parameters.k = 20;
  parameters.tile = 10;
  const Contraction problem = dense_contraction(parameters);
  const Machine machine = small_machine();
  Report report = make_report(two_ranks(), machine, {2, 1}, 10);
  EXPECT_FALSE(report_json(report).contains("model"));
  add_plan(report, problem, machine, make_plan(problem, machine, {{"strategy", "stationary-c"}}));
  EXPECT_EQ(report.plan.substr(0, 12), "stationary-c");
  ASSERT_TRUE(report_json(report).contains("model"));
  EXPECT_EQ(report_json(report)["model"]["bytes"]["stored"], 3200);
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
  EXPECT_DOUBLE_EQ(json.at("limit_parts").at("generate").at("work").get<double>(), 8);
  EXPECT_DOUBLE_EQ(json.at("limit_parts").at("generate").at("software").get<double>(), 0);
  EXPECT_TRUE(json.at("longest_latency_bound").contains("cause"));
  EXPECT_DOUBLE_EQ(json.at("busy").at("kernels").at("max").get<double>(), 0.9);
}

}  // namespace
}  // namespace foretile::report_report_test
