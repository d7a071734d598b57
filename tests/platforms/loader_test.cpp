// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/loader.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "platforms/checks.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::loader_test {
namespace {

std::string error_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    parse_platform(text, "p.toml", settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "no \"" << part << "\" in: " << message;
  }
}

TEST(LoadPlatform, ReadsSummit) {
  const Platform p = load_platform("summit");
  EXPECT_EQ(p.nodes, 4608);
  EXPECT_EQ(p.devices_per_node(), 6);
  EXPECT_EQ(p.cores_per_node(), 42);
  EXPECT_EQ(p.ranks_per_node, 2);
  EXPECT_EQ(p.device.memory_bytes, 16'000'000'000);
  EXPECT_DOUBLE_EQ(p.links.host_to_device.bandwidth_bytes_per_s, 47.7e9);
  EXPECT_DOUBLE_EQ(p.links.device_to_host.bandwidth_bytes_per_s, 48.7e9);
  EXPECT_DOUBLE_EQ(p.links.device_to_host.latency_s, 11.1e-6);
  EXPECT_DOUBLE_EQ(p.links.socket_host_to_device_bytes_per_s, 93e9);
  EXPECT_DOUBLE_EQ(p.network.message.bandwidth_bytes_per_s, 12.3e9);
  EXPECT_DOUBLE_EQ(p.network.node_injection_bytes_per_s, 23.9e9);
  EXPECT_DOUBLE_EQ(p.device.kernel.rate_flops_per_s, 7.2e12);
  EXPECT_FALSE(p.estimated);
}

TEST(LoadPlatform, ReadsRaven) {
  const Platform p = load_platform("raven");
  EXPECT_EQ(p.devices_per_node(), 72);
  EXPECT_EQ(p.device.kind, DeviceKind::core);
  // 72 cores make the 5.53 Tflop/s of a node.
  EXPECT_NEAR(72 * p.device.kernel.rate_flops_per_s, 5.53e12, 0.01e12);
}

/// 68 ranks that each copy 0.3 GB/s.
TEST(LoadPlatform, ReadsStampede2) {
  EXPECT_DOUBLE_EQ(load_platform("stampede2").links.node_message_bytes_per_s, 20.4e9);
}

TEST(LoadPlatform, CoresBesideGpusHaveTheirOwnCurve) {
  const std::string cores =
      "[core.kernel]\nrate = \"30 Gflop/s\"\nhalf_m = 1\nhalf_n = 2\nhalf_k = 3\n"
      "latency = 0\n";
  const Platform p = parse_platform(small_platform + cores, "p.toml");
  EXPECT_EQ(p.core.kind, DeviceKind::core);
  EXPECT_DOUBLE_EQ(p.core.kernel.rate_flops_per_s, 30e9);
  EXPECT_DOUBLE_EQ(p.core.kernel.half_n, 2);
  EXPECT_EQ(p.core.kernel.factors, kNoFactors);
  EXPECT_DOUBLE_EQ(p.device.kernel.rate_flops_per_s, 1e12);
  EXPECT_EQ(&p.model_of(DeviceKind::core), &p.core);
  EXPECT_EQ(&p.model_of(DeviceKind::gpu), &p.device);
  EXPECT_FALSE(parse_platform(small_platform, "p.toml").core.kernel.known());
  expect_parts(error_of(small_platform + "[core.kernel]\nrate = 1e9\n"),
               {"core.kernel.half_m", "no such key", "its table is there"});
  expect_parts(error_of(small_with("kind = \"gpu\"", "kind = \"core\"") + cores), {"a key for GPUs"});
}

TEST(LoadPlatform, OverrideOfBothDirectionsReplacesTheDirectedKeys) {
  const Platform p =
      load_platform("summit", {"platform.nvlink.bandwidth=100e9", "platform.ranks_per_node=1",
                               "platform.generation.rate=0.7 GB/s", "platform.noise.kernel=0.05"});
  EXPECT_DOUBLE_EQ(p.links.host_to_device.bandwidth_bytes_per_s, 100e9);
  EXPECT_DOUBLE_EQ(p.links.device_to_host.bandwidth_bytes_per_s, 100e9);
  EXPECT_EQ(p.ranks_per_node, 1);
  EXPECT_DOUBLE_EQ(p.generation_bytes_per_s_per_core, 0.7e9);
  EXPECT_DOUBLE_EQ(p.noise.kernel, 0.05);
}

TEST(LoadPlatform, OverrideOfOneDirectionKeepsTheOther) {
  const Platform p = parse_platform(small_platform, "p.toml", {"platform.pcie.h2d_bandwidth=5e9"});
  EXPECT_DOUBLE_EQ(p.links.host_to_device.bandwidth_bytes_per_s, 5e9);
  EXPECT_DOUBLE_EQ(p.links.device_to_host.bandwidth_bytes_per_s, 12e9);
}

TEST(LoadPlatform, LaterOverrideWins) {
  EXPECT_EQ(parse_platform(small_platform, "p.toml", {"platform.nodes=3", "platform.nodes=7"}).nodes, 7);
}

TEST(LoadPlatform, OverridesMayBeLists) {
  const auto speeds = [](const char* value) {
    return parse_platform(small_platform, "p.toml", {std::string("platform.device.speeds=") + value})
        .device_speeds;
  };
  EXPECT_EQ(speeds("[1, 0.5]"), (std::vector<double>{1, 0.5}));
  for (const char* wrong : {"1", "[1, 0.5", "fast", ""})
    expect_parts(error_of(small_platform, {std::string("platform.device.speeds=") + wrong}),
                 {"device.speeds", "a number for each device of a node"});
  const Platform p = parse_platform(small_platform, "p.toml",
                                    {"platform.device.kernel.points=[[512, 512, 512, \"3 Gflop/s\"]]"});
  ASSERT_EQ(p.device.kernel.points.size(), 1U);
  EXPECT_EQ(p.device.kernel.points[0].flops_per_s, 3e9);
}

TEST(LoadPlatform, TextAfterOverridesGivesTheSamePlatform) {
  const Platform p = load_platform("summit", {"platform.nvlink.bandwidth=0.30000000000000004e9",
                                              "platform.noise.link=0.1", "platform.name=what if"});
  const Platform again = parse_platform(p.toml, "plan");
  EXPECT_EQ(again.name, "what if");
  EXPECT_EQ(again.links.host_to_device.bandwidth_bytes_per_s, 0.30000000000000004e9);
  EXPECT_EQ(again.noise.link, 0.1);
  EXPECT_EQ(again.links.cross_socket.bandwidth_bytes_per_s, 41.3e9);
  EXPECT_EQ(again.device.memory_bytes, p.device.memory_bytes);
  EXPECT_EQ(again.toml, p.toml);
}

TEST(LoadPlatform, ReadsRatesFromUnpinnedMemory) {
  const Platform p = load_platform(
      "summit", {"platform.runtime.unpinned_initial=1 GB/s", "platform.runtime.unpinned_received=2e9",
                 "platform.runtime.unpinned_made=3e9", "platform.runtime.unpinned_array=4e9"});
  EXPECT_EQ(p.runtime.unpinned.initial_bytes_per_s, 1e9);
  EXPECT_EQ(p.runtime.unpinned.received_bytes_per_s, 2e9);
  EXPECT_EQ(p.runtime.unpinned.generated_bytes_per_s, 3e9);
  EXPECT_EQ(p.runtime.unpinned.array_bytes_per_s, 4e9);
}

TEST(LoadPlatform, ReadsHowManyCoresShareATile) {
  EXPECT_EQ(load_platform("summit").cores_of_tile(21), 21);
  const Platform p = load_platform("summit", {"platform.generation.cores_of_tile=4"});
  EXPECT_EQ(p.cores_of_tile(21), 4);
  EXPECT_EQ(p.cores_of_tile(2), 2);
}

TEST(LoadPlatform, FillsLinksThatNeedNoDescription) {
  const Platform p = parse_platform(small_platform, "p.toml");
  EXPECT_DOUBLE_EQ(p.links.cross_socket.bandwidth_bytes_per_s, 10e9);  // as peers: there is one socket
}

const std::string no_costs = "[runtime]\nsource = \"none\"\n";

TEST(LoadPlatform, WithoutRuntimeHasTypicalCosts) {
  const Platform gpus = parse_platform(small_with(no_costs, ""), "p.toml");
  EXPECT_EQ(gpus.runtime.source, "typical");
  EXPECT_GT(gpus.runtime.copy_overhead_s, 0);
  EXPECT_GT(gpus.runtime.message_overhead_s, 0);
  EXPECT_FALSE(gpus.runtime.unpinned.any());
  const Platform cores = load_platform("raven");
  EXPECT_EQ(cores.runtime.source, "typical");
  EXPECT_GT(cores.runtime.operation_overhead_s, 0);
  EXPECT_GT(cores.runtime.load_overhead_s, 0);
  EXPECT_GT(cores.runtime.store_overhead_s, 0);
  EXPECT_GT(cores.runtime.look_overhead_s, 0);
  EXPECT_GT(cores.runtime.message_copy_bytes_per_s, 0);
}

/// A plan keeps the costs that it was made with: they stand in the text.
TEST(LoadPlatform, TypicalCostsStandInTheText) {
  const Platform p = parse_platform(small_with(no_costs, ""), "p.toml");
  const Platform again = parse_platform(p.toml, "plan");
  EXPECT_EQ(again.toml, p.toml);
  EXPECT_EQ(again.runtime.copy_overhead_s, p.runtime.copy_overhead_s);
}

TEST(LoadPlatform, OneCostBySettingKeepsTheOtherTypicalOnes) {
  const std::string text = small_with(no_costs, "");
  const Platform p = parse_platform(text, "p.toml", {"platform.runtime.message_overhead=1 ms"});
  EXPECT_EQ(p.runtime.message_overhead_s, 1e-3);
  EXPECT_EQ(p.runtime.copy_overhead_s, parse_platform(text, "p.toml").runtime.copy_overhead_s);
}

TEST(LoadPlatform, SourceNoneTurnsAllCostsOff) {
  const Platform p = load_platform("summit", {"platform.runtime.source=none"});
  EXPECT_EQ(p.runtime.source, "none");
  EXPECT_EQ(p.runtime.copy_overhead_s, 0);
  EXPECT_EQ(p.runtime.message_overhead_s, 0);
  EXPECT_FALSE(p.runtime.unpinned.any());
}

TEST(LoadPlatform, ACostNeedsAnotherSourceThanNone) {
  expect_parts(error_of(small_platform + "copy_overhead = \"1 us\"\n"),
               {"p.toml:38: runtime.copy_overhead", "1 us", "no cost where runtime.source is \"none\""});
  expect_parts(error_of(small_platform, {"platform.runtime.message_overhead=1ms"}),
               {"parameter platform.runtime.message_overhead", "1 ms", "no cost"});
  EXPECT_EQ(error_of(small_platform + "copy_overhead = 0\n"), "no error");
}

/// A plan keeps the text with all settings.
TEST(LoadPlatform, CostsThatWereTurnedOffStayOff) {
  const Platform p = load_platform("summit", {"platform.runtime.source=none"});
  EXPECT_EQ(parse_platform(p.toml, "plan").runtime.copy_overhead_s, 0);
}

TEST(LoadPlatform, CostsNeedASource) {
  expect_parts(
      error_of(small_with(no_costs, "[runtime]\ncopy_overhead = \"1 us\"\n")),
      {"p.toml:36: runtime.source", "no such key", "\"paper\", \"foretile-run\", \"typical\", \"none\""});
}

TEST(LoadPlatform, UnknownNameListsWhatThereIs) {
  try {
    load_platform("sumit");
    FAIL();
  } catch (const InputError& error) {
    expect_parts(error.what(), {"\"sumit\"", "here", "did you mean \"summit\"?"});
  }
}

TEST(LoadPlatformErrors, Syntax) {
  expect_parts(error_of(small_with("nodes = 2", "nodes =")), {"p.toml:2"});
}

TEST(LoadPlatformErrors, UnknownKey) {
  expect_parts(error_of(small_with("half_n", "half_nn")),
               {"p.toml:17: unknown key \"half_nn\" in [device.kernel]; did you mean \"half_n\"",
                "Known keys: rate, half_m, half_n, half_k"});
  expect_parts(error_of(small_with("[pcie]", "[pci]")),
               {"p.toml:21: unknown key \"pci\"; did you mean \"pcie\"? Known keys: name, "});
  expect_parts(error_of(small_with("nodes = 2", "\"socket.cores\" = 2")), {"p.toml:2", "unknown"});
  expect_parts(error_of(small_with("nodes = 2", "network = 2")), {"p.toml"});
}

TEST(LoadPlatformErrors, MissingKeyNamesItsTable) {
  expect_parts(error_of(small_with("half_k = 30\n", "")),
               {"p.toml:14: device.kernel.half_k", "no such key", "add it"});
  expect_parts(error_of(small_with("[generation]\nrate = \"1 GB/s\"\n", "")), {"p.toml:1: generation.rate"});
  expect_parts(error_of(small_with("bandwidth = \"12 GB/s\"\n", "")), {"p.toml:21: pcie.bandwidth"});
  expect_parts(error_of(small_with("bandwidth = \"12 GB/s\"", "h2d_bandwidth = \"12 GB/s\"")),
               {"p.toml:21: pcie.d2h_bandwidth"});
  expect_parts(error_of(small_platform, {"platform.sockets_per_node=2"}), {"xbus.", "more than one socket"});
}

const std::string curve = "rate = \"2 Tflop/s\"\nhalf_m = 1\nhalf_n = 2\nhalf_k = 3\nlatency = \"4 us\"\n";

TEST(LoadPlatform, CurvesOfBatchesAndSinglePrecision) {
  const std::string more = "[device.batched]\n" + curve + "[device.single]\n" + curve;
  const Platform p =
      parse_platform(small_with("[pcie]", more + "[pcie]"), "p.toml", {"platform.device.kernel.streams=4"});
  EXPECT_DOUBLE_EQ(p.device.batched.rate_flops_per_s, 2e12);
  EXPECT_DOUBLE_EQ(p.device.batched.half_k, 3);
  EXPECT_DOUBLE_EQ(p.device.single.latency_s, 4e-6);
  EXPECT_EQ(p.device.batched.streams, 4);  // there is one number of streams
  EXPECT_TRUE(p.device.single.known());
  EXPECT_FALSE(p.device.single_batched.known());
  EXPECT_FALSE(parse_platform(small_platform, "p.toml").device.batched.known());
}

TEST(LoadPlatform, ArithmeticChoosesTheCurve) {
  const std::string text = small_with("[pcie]", "[device.emulated]\n" + curve + "[pcie]");
  EXPECT_NE(parse_platform(text, "p.toml").device.kernel_for(Precision::f64).rate_flops_per_s, 2e12);
  const Platform p = parse_platform(text, "p.toml", {"platform.device.arithmetic=emulated"});
  EXPECT_DOUBLE_EQ(p.device.kernel_for(Precision::f64).rate_flops_per_s, 2e12);
  // As a plan stores it.
  const Platform again = parse_platform(p.toml, "p.toml", {"platform.device.emulated.rate=4e12"});
  EXPECT_DOUBLE_EQ(again.device.kernel_for(Precision::f64).rate_flops_per_s, 4e12);
}

TEST(LoadPlatform, RefusesArithmeticThatIsNotThere) {
  const auto message = [](const std::string& value) {
    return error_of(small_with("[device]\n", "[device]\narithmetic = \"" + value + "\"\n"));
  };
  expect_parts(message("vector"), {"arithmetic", "\"vector\" without a table [device.vector]", "\"matrix\""});
  expect_parts(message("tensor"),
               {"arithmetic", "found \"tensor\"", "\"matrix\", \"vector\" or \"emulated\""});
}

TEST(LoadPlatform, SpeedsAreOfEachDeviceOfANode) {
  const auto with = [](const std::string& value) {
    return small_with("[device]\n", "[device]\nspeeds = " + value + "\n");
  };
  const Platform p = parse_platform(with("[1, 0.9]"), "p.toml");
  EXPECT_EQ(p.device_speeds, (std::vector<double>{1, 0.9}));
  EXPECT_TRUE(parse_platform(small_platform, "p.toml").device_speeds.empty());
  expect_parts(error_of(with("[1]")), {"speeds", "1 numbers", "2, one for each device of a node"});
  expect_parts(error_of(with("[1, 1.5]")), {"speeds[1]", "1.5", "0.01 to 1"});
  expect_parts(error_of(with("0.9")), {"speeds", "0.9", "such as [1, 0.9] for two"});
  expect_parts(error_of(with("[]")), {"speeds", "no number"});
  expect_parts(error_of(with("[1, \"fast\"]")), {"speeds[1]", "fast"});
}

TEST(LoadPlatform, BothWaysAndGenerationOnTheDevice) {
  const Platform p =
      parse_platform(small_platform, "p.toml",
                     {"platform.pcie.both_bandwidth=20e9", "platform.generation.device_rate=1e12"});
  EXPECT_DOUBLE_EQ(p.links.both_ways_bytes_per_s, 20e9);
  EXPECT_DOUBLE_EQ(p.links.host_to_device.bandwidth_bytes_per_s, 12e9);
  EXPECT_DOUBLE_EQ(p.generation_bytes_per_s_on_device, 1e12);
  EXPECT_EQ(parse_platform(small_platform, "p.toml").links.both_ways_bytes_per_s, 0);
}

TEST(LoadPlatformErrors, ACurveIsWholeOrNotThere) {
  expect_parts(error_of(small_platform, {"platform.device.batched.rate=1e12"}),
               {"device.batched.half_m", "no such key", "its table is there", "add it"});
  expect_parts(error_of(small_platform, {"platform.device.single.latency=0"}), {"device.single.rate"});
}

TEST(LoadPlatformErrors, BothWaysAreAtLeastOneWay) {
  expect_parts(error_of(small_platform, {"platform.pcie.both_bandwidth=11e9"}),
               {"pcie.both_bandwidth", "11 GB/s", "at least 12 GB/s"});
}

TEST(CheckPrecision, SaysWhatToAdd) {
  const Platform p = parse_platform(small_platform, "p.toml");
  EXPECT_NO_THROW(check_precision(p, Precision::f64));
  try {
    check_precision(p, Precision::f32);
    FAIL();
  } catch (const InputError& error) {
    expect_parts(error.what(), {"p.toml: device.single", "no figures for single precision", "add the table"});
  }
  EXPECT_NO_THROW(
      check_precision(parse_platform(small_with("[pcie]", "[device.single]\n" + curve + "[pcie]"), "p.toml"),
                      Precision::f32));
}

TEST(LoadPlatformErrors, WrongUnit) {
  expect_parts(error_of(small_with("\"12 GB/s\"", "\"12 GB\"")),
               {"p.toml:23: pcie.bandwidth", "found \"12 GB\"", "bytes per second"});
  expect_parts(error_of(small_with("\"12 GB/s\"", "\"50 Gbps\"")), {"p.toml:23", "8 bits make a byte"});
  expect_parts(error_of(small_with("\"12 GB/s\"", "25")),
               {"p.toml:23", "found 25 without a unit", "write \"25 GB/s\""});
}

TEST(LoadPlatformErrors, WrongType) {
  expect_parts(error_of(small_with("nodes = 2", "nodes = true")), {"p.toml:2: nodes", "true"});
  expect_parts(error_of(small_with("nodes = 2", "nodes = [2]")), {"p.toml:2: nodes", "an array"});
  expect_parts(error_of(small_with("\"small\"", "3")), {"p.toml:1: name"});
  expect_parts(error_of(small_with("\"small\"", "\"\"")), {"p.toml:1: name"});
  expect_parts(error_of(small_with("\"gpu\"", "\"fpga\"")),
               {"p.toml:12: device.kind", "\"gpu\" or \"core\""});
}

TEST(LoadPlatformErrors, ImpossibleValues) {
  for (const char* value : {"0", "-2", "1.5", "nan", "inf", "1e300", "\"2 B\""}) {
    expect_parts(error_of(small_with("nodes = 2", std::string("nodes = ") + value)), {"p.toml:2: nodes"});
  }
  for (const char* value : {"0", "-5e9", "nan", "inf", "\"0 GB/s\""}) {
    expect_parts(error_of(small_with("\"12 GB/s\"", value)), {"p.toml:23: pcie.bandwidth"});
  }
  expect_parts(error_of(small_with("\"10 us\"", "-1e-6")), {"p.toml:22: pcie.latency"});
  expect_parts(error_of(small_with("half_m = 10", "half_m = -1")), {"p.toml:16"});
  expect_parts(error_of(small_with("streams = 1", "streams = 0")), {"p.toml:20"});
}

TEST(LoadPlatformErrors, RanksMustDivideTheGpus) {
  expect_parts(error_of(small_with("ranks_per_node = 1", "ranks_per_node = 3")),
               {"p.toml:4: ranks_per_node", "found 3", "the node's 2 GPUs"});
}

TEST(LoadPlatformErrors, OneKindOfLinkToTheDevices) {
  expect_parts(error_of(small_platform + "[c2c]\nlatency = 0\nbandwidth = 1e9\n"), {"a second kind of link"});
  expect_parts(error_of(small_with("bandwidth = \"12 GB/s\"", "bandwidth = 1e9\nh2d_bandwidth = 1e9")),
               {"p.toml:24: pcie.h2d_bandwidth", "leave one out"});
}

TEST(LoadPlatformErrors, CoresHaveNoGpuLinks) {
  expect_parts(error_of(small_with("\"gpu\"", "\"core\"")),
               {"p.toml:10: socket.device_bandwidth", "a key for GPUs"});
}

TEST(LoadPlatformErrors, Overrides) {
  expect_parts(error_of(small_platform, {"platform.pcie.bandwith=1"}),
               {"parameters: unknown key \"platform.pcie.bandwith\"", "platform.pcie.bandwidth"});
  expect_parts(error_of(small_platform, {"platform.nodes"}), {"platform.KEY=VALUE"});
  expect_parts(error_of(small_platform, {"platform.nodes="}), {"parameter platform.nodes"});
  expect_parts(error_of(small_platform, {"platform.pcie.bandwidth=-1"}),
               {"parameter platform.pcie.bandwidth"});
  expect_parts(error_of(small_platform, {"platform.ranks_per_node=3"}),
               {"parameter platform.ranks_per_node"});
  expect_parts(error_of(small_platform, {"nodes=3"}), {"unknown", "platform.nodes"});
}

}  // namespace
}  // namespace foretile::loader_test
