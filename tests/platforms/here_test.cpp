// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/here.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "platforms/loader.hpp"
#include "tests/platforms/configuration_folder.hpp"

namespace foretile::here_test {
namespace {

class HereTest : public ConfigurationFolder {};

TEST_F(HereTest, IsAnEstimateBeforeCalibration) {
  const Platform p = load_platform("here");
  EXPECT_TRUE(p.estimated);
  EXPECT_EQ(p.device.kind, DeviceKind::core);
  EXPECT_EQ(p.devices_per_node(), machine_facts().cores);
  EXPECT_GT(p.links.host_to_device.bandwidth_bytes_per_s, 0);
  EXPECT_EQ(p.runtime.source, "typical");
  EXPECT_GT(p.runtime.operation_overhead_s, 0);
}

TEST_F(HereTest, IsTheCalibratedFileOnceItIsThere) {
  std::string text = estimated_here({.cores = 3, .memory_bytes = 1'000'000'000, .host = "test"});
  text.replace(text.find("estimated = true"), 16, "estimated = false");
  std::ofstream(here_file()) << text;
  const Platform p = load_platform("here", {"platform.ranks_per_node=6"});
  EXPECT_FALSE(p.estimated);
  EXPECT_EQ(p.devices_per_socket, 3);
  EXPECT_EQ(p.ranks_per_node, 6);
}

TEST(MachineFacts, AreSane) {
  const MachineFacts facts = machine_facts();
  EXPECT_GE(facts.cores, 1);
  EXPECT_GT(facts.memory_bytes, 1 << 20);
}

}  // namespace
}  // namespace foretile::here_test
