#include "platforms/loader.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace foretile {
namespace {

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
  EXPECT_DOUBLE_EQ(p.device.kernel.rate_flops_per_s, 7.2e12);
  EXPECT_FALSE(p.estimated);
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

}  // namespace
}  // namespace foretile
