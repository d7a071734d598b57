// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/scaled.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::scaled_test {
namespace {

Platform small() {
  return parse_platform(small_platform, "p.toml");
}

TEST(Scaled, ChangesTheFiguresThatAreNamed) {
  const Platform p = scaled(small(), {"generation.rate", "network.latency", "device.memory"}, 0.75);
  EXPECT_DOUBLE_EQ(p.generation_bytes_per_s_per_core, 0.75e9);
  EXPECT_DOUBLE_EQ(p.network.message.latency_s, 1.5e-6);
  EXPECT_EQ(p.device.memory_bytes, 6LL << 30);
  EXPECT_DOUBLE_EQ(p.links.peer.bandwidth_bytes_per_s, 10e9);
}

TEST(Scaled, RoundsCountsAndStaysInTheRange) {
  EXPECT_EQ(scaled(small(), {"socket.cores"}, 0.6).cores_per_socket, 2);
  EXPECT_EQ(scaled(small(), {"socket.cores"}, 0.01).cores_per_socket, 1);
  const std::string text = small_with("[runtime]", "[calibration]\nerror = 0.9\n[runtime]");
  EXPECT_EQ(scaled(parse_platform(text, "p.toml"), {"calibration.error"}, 2).calibration.error, 1);
}

TEST(Scaled, ChangesAllPointsOfACurve) {
  const Platform p = parse_platform(
      small_with("streams = 1\n", "streams = 1\npoints = [[64, 64, 64, \"1 Gflop/s\"], [8, 8, 8, 4e8]]\n"),
      "p.toml");
  EXPECT_EQ(figure_in_file(p, "device.kernel.points"), "2 points");
  const Platform slower = scaled(p, {"device.kernel.points"}, 0.5);
  ASSERT_EQ(slower.device.kernel.points.size(), 2U);
  EXPECT_DOUBLE_EQ(slower.device.kernel.points[0].flops_per_s, 0.5e9);
  EXPECT_DOUBLE_EQ(slower.device.kernel.points[1].flops_per_s, 2e8);
  EXPECT_EQ(slower.device.kernel.points[0].m, 64);
}

TEST(Scaled, CannotChangeTheNodesForm) {
  for (const char* key :
       {"nodes", "socket.devices", "ranks_per_node", "device.kind", "name", "no.such", "file.bandwidth"})
    EXPECT_FALSE(can_scale(small(), key)) << key;
  for (const char* key : {"socket.cores", "pcie.latency", "device.kernel.half_m"})
    EXPECT_TRUE(can_scale(small(), key)) << key;
}

TEST(Scaled, RefusesWhatNoFileMayHave) {
  const std::string text =
      small_with("bandwidth = \"12 GB/s\"", "bandwidth = \"12 GB/s\"\nboth_bandwidth = \"13 GB/s\"");
  EXPECT_THROW(scaled(parse_platform(text, "p.toml"), {"pcie.bandwidth"}, 1.25), InputError);
}

TEST(Scaled, ShowsFiguresAsTheFileHasThem) {
  EXPECT_EQ(figure_in_file(small(), "generation.rate"), "1 GB/s");
  EXPECT_EQ(figure_in_file(small(), "socket.cores"), "4");
  EXPECT_EQ(figure_in_file(small(), "runtime.source"), "none");
  EXPECT_EQ(figure_in_file(small(), "file.bandwidth"), "");
}

}  // namespace
}  // namespace foretile::scaled_test
