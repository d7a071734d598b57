// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/improvements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>
#include <variant>

#include "platforms/keys.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::improvements_test {
namespace {

using Found = std::map<std::string, std::vector<std::string>>;

Found found_on(const std::string& toml, int nodes, bool more_devices = true) {
  Found found;
  const Machine machine =
      make_machine(parse_platform(toml, "small.toml"), {.nodes = nodes, .ranks = {}, .gpus = {}});
  for (const Improvement& better : improvements(machine, more_devices))
    found[better.resource] = better.settings;
  return found;
}

TEST(Improvements, DoubleRatesAndHalveLatencies) {
  const Found found = found_on(small_platform, 2);
  EXPECT_EQ(found.at("kernel rate"), std::vector<std::string>{"platform.device.kernel.rate=2000000000000"});
  EXPECT_EQ(found.at("network latency"), std::vector<std::string>{"platform.network.latency=1e-06"});
  EXPECT_EQ(found.at("network bandwidth"),
            (std::vector<std::string>{"platform.network.bandwidth=12000000000",
                                      "platform.network.node_bandwidth=24000000000"}));
  EXPECT_EQ(found.at("cores"), std::vector<std::string>{"platform.socket.cores=8"});
  EXPECT_EQ(found.at("devices"), std::vector<std::string>{"platform.socket.devices=4"});
  EXPECT_EQ(found.at("device memory"), std::vector<std::string>{"platform.device.memory=17179869184"});
}

/// One rank on a node, one socket: no bus, no messages between neighbours; no software cost, no NVLink.
TEST(Improvements, OnlyOfWhatThePlatformHas) {
  const Found two = found_on(small_platform, 2);
  for (const char* absent : {"xbus bandwidth", "message bandwidth", "copy software", "nvlink bandwidth"})
    EXPECT_FALSE(two.contains(absent)) << absent;
  EXPECT_FALSE(found_on(small_platform, 1).contains("network bandwidth"));
  EXPECT_FALSE(found_on(small_platform, 2, false).contains("devices"));
  const std::string slow = small_with("source = \"none\"", "source = \"paper\"\ncopy_overhead = \"1 ms\"");
  EXPECT_TRUE(found_on(slow, 2).contains("copy software"));
}

std::vector<std::string> names_of(const std::vector<Improvement>& all) {
  std::vector<std::string> names;
  for (const Improvement& better : all) names.push_back(better.resource);
  return names;
}

/// A copy passes the device's link, what its socket's devices share, and host memory; a message the network,
/// whose latency counts, too.
TEST(Improvements, OfOneWayAreAlsoMadeTogether) {
  const Machine machine =
      make_machine(parse_platform(small_platform, "small.toml"), {.nodes = 2, .ranks = {}, .gpus = {}});
  const std::vector<Improvement> single = improvements(machine, true);
  std::vector<std::string> copies, messages;
  for (const Improvement& better : single) {
    if (better.of_copies) copies.push_back(better.resource);
    if (better.of_messages) messages.push_back(better.resource);
  }
  EXPECT_EQ(copies,
            (std::vector<std::string>{"host memory bandwidth", "socket device bandwidth", "pcie bandwidth"}));
  EXPECT_EQ(messages, (std::vector<std::string>{"network bandwidth", "network latency"}));
  const std::vector<Improvement> joint = joint_improvements(single);
  EXPECT_EQ(names_of(joint), (std::vector<std::string>{"host links together", "messages together",
                                                       "host links and messages"}));
  EXPECT_EQ(joint[2].settings.size(), joint[0].settings.size() + joint[1].settings.size());
  const std::vector<Improvement> one_node = joint_improvements(improvements(
      make_machine(parse_platform(small_platform, "small.toml"), {.nodes = 1, .ranks = {}, .gpus = {}}),
      true));
  EXPECT_EQ(names_of(one_node), std::vector<std::string>{"host links together"});
}

/// Messages pass the memory of a host, switches and cards; a copy stays at its rank's socket.
TEST(Improvements, FindTheWaysThroughANode) {
  const Machine machine = make_machine(load_platform("dgx-h100"), {.nodes = 2, .ranks = {}, .gpus = {}});
  for (const Improvement& better : improvements(machine, true)) {
    const std::string& name = better.resource;
    const bool shared = name == "host memory bandwidth" || name == "link.pcie bandwidth";
    EXPECT_EQ(better.of_copies, shared) << name;
    EXPECT_EQ(better.of_messages, shared || name == "network bandwidth" || name == "network latency" ||
                                      name == "message bandwidth" || name == "message latency" ||
                                      name == "message software")
        << name;
  }
}

/// In place of a rate where there is none.
TEST(Improvements, DoubleTheRatesOfMeasuredPoints) {
  const std::string points = "points = [[64, 64, 64, \"1 Gflop/s\"], [512, 512, 512, \"2 Gflop/s\"]]";
  const std::string toml = small_with("rate = \"1 Tflop/s\"\nhalf_m = 10\nhalf_n = 20\nhalf_k = 30", points);
  const Found found = found_on(toml, 1);
  const std::vector<std::string> settings = found.at("kernel rate");
  EXPECT_EQ(settings, std::vector<std::string>{
                          "platform.device.kernel.points=[[64,64,64,2000000000],[512,512,512,4000000000]]"});
  EXPECT_NEAR(parse_platform(toml, "small.toml", settings).device.kernel.seconds(512, 512, 512),
              parse_platform(toml, "small.toml").device.kernel.seconds(512, 512, 512) / 2, 5e-6);
}

/// What a key of platform files has filled.
double number_of(Platform& platform, const std::string& path) {
  const PlatformKey* const key = find_platform_key(path);
  if (!key) return std::nan("");
  return std::visit(
      [](auto* slot) {
        if constexpr (std::is_arithmetic_v<std::remove_pointer_t<decltype(slot)>>)
          return static_cast<double>(*slot);
        else
          return std::nan("");
      },
      key->slots(platform).front());
}

/// Every setting is taken by the loader and makes its figure better or worse, never the same.
TEST(Improvements, AreSettingsOfThePlatform) {
  for (const char* name : {"summit", "raven"}) {
    const Platform platform = load_platform(name);
    const Machine machine = make_machine(platform, {.nodes = 2, .ranks = {}, .gpus = {}});
    const std::vector<Improvement> all = improvements(machine, true);
    EXPECT_GT(all.size(), 8U);
    for (const Improvement& better : all) {
      for (const std::string& setting : better.settings) {
        SCOPED_TRACE(setting);
        EXPECT_EQ(setting.find(' '), std::string::npos);
        const std::string prefix = "platform.";
        const std::string path = setting.substr(prefix.size(), setting.find('=') - prefix.size());
        Platform before = platform;
        Platform after = parse_platform(platform.toml, name, better.settings);
        const double ratio = number_of(after, path) / number_of(before, path);
        EXPECT_TRUE(std::abs(ratio - 2) < 1e-6 || std::abs(ratio - 0.5) < 1e-6) << ratio;
      }
      EXPECT_NO_THROW(parse_platform(platform.toml, name, better.settings)) << better.resource;
    }
  }
}

}  // namespace
}  // namespace foretile::improvements_test
