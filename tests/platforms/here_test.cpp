#include "platforms/here.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "platforms/loader.hpp"

namespace foretile {
namespace {

/// A configuration folder of its own for one test.
class HereTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* old = std::getenv("XDG_CONFIG_HOME")) before_ = old;
    folder_ = std::filesystem::temp_directory_path() / ("foretile-here-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "foretile");
    ::setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    before_.empty() ? ::unsetenv("XDG_CONFIG_HOME") : ::setenv("XDG_CONFIG_HOME", before_.c_str(), 1);
  }
  std::filesystem::path folder_;
  std::string before_;
};

TEST_F(HereTest, IsAnEstimateBeforeCalibration) {
  const Platform p = load_platform("here");
  EXPECT_TRUE(p.estimated);
  EXPECT_EQ(p.device.kind, DeviceKind::core);
  EXPECT_EQ(p.devices_per_node(), machine_facts().cores);
  EXPECT_GT(p.links.host_to_device.bandwidth_bytes_per_s, 0);
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
}  // namespace foretile
