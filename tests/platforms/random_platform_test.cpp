// SPDX-License-Identifier: BSD-3-Clause
#include "tests/platforms/random_platform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/error.hpp"
#include "platforms/guesses.hpp"
#include "platforms/loader.hpp"
#include "platforms/node_graph.hpp"
#include "platforms/placement.hpp"
#include "platforms/show.hpp"

namespace foretile::random_platform_test {
namespace {

constexpr std::uint64_t kFirstSeed = 20261129;
constexpr int kFiles = 500;

void expect_figures(double value, const char* what) {
  EXPECT_TRUE(std::isfinite(value) && value > 0) << what << " " << value;
}

/// What loaded has all that a simulation needs, and reads the same again.
void expect_complete(const Platform& p) {
  expect_figures(p.device.kernel.rate_flops_per_s, "rate");
  expect_figures(p.device.kernel.work_seconds(100, 100, 100), "time of a product");
  expect_figures(p.network.message.bandwidth_bytes_per_s, "network");
  expect_figures(p.network.node_injection_bytes_per_s, "injection");
  for (const LinkModel& link : {p.links.host_to_device, p.links.device_to_host, p.links.peer})
    if (p.has_device_memory()) expect_figures(link.bandwidth_bytes_per_s, "link");
  const NodeGraph graph(p);
  for (int d = 0; p.has_device_memory() && d < p.devices_per_node(); ++d)
    EXPECT_TRUE(graph.path({NodePart::Kind::host, 0}, {NodePart::Kind::device, d}).found) << d;
  EXPECT_FALSE(show_platform(p).empty());
  EXPECT_EQ(parse_platform(p.toml, "again.toml").toml, p.toml);
}

void expect_one_line(const std::string& message) {
  EXPECT_FALSE(message.empty());
  EXPECT_LT(message.size(), 2000U);
  for (const char c : message) EXPECT_GE(static_cast<unsigned char>(c), 32) << message;
}

TEST(RandomPlatforms, LoadOrAreRefusedInOneLine) {
  int loaded = 0, refused = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kFiles; ++seed) {
    const std::string text = RandomPlatform(seed).text();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    try {
      expect_complete(parse_platform(text, "random.toml"));
      ++loaded;
    } catch (const InputError& error) {
      expect_one_line(error.what());
      ++refused;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(loaded, kFiles / 4);
  EXPECT_GT(refused, kFiles / 4);
}

}  // namespace
}  // namespace foretile::random_platform_test
