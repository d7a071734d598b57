// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/show.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "platforms/here.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::show_test {
namespace {

TEST(ShowPlatform, DrawsOneSocketWithGpus) {
  EXPECT_EQ(draw_node(parse_platform(small_platform, "p.toml")),
            R"(one of 2 nodes, 1 rank on it

+------------------------+
| socket 0               |---+-- GPU 0: 8.59 GB, 1 Tflop/s
| 4 cores                |   +-- GPU 1: 8.59 GB, 1 Tflop/s
| memory 64 GB, 100 GB/s |
+------------------------+
      |
    network: 12 GB/s of a node, 6 GB/s of one rank, each way

host to GPU 12 GB/s, GPU to host 12 GB/s each; 20 GB/s per socket and direction
GPU to GPU on a socket 10 GB/s
)");
}

TEST(ShowPlatform, SaysThatCoresCompute) {
  const std::string drawing = draw_node(load_platform("newriver"));
  EXPECT_NE(drawing.find("14 cores, 36.5 Gflop/s each beside the GPUs"), std::string::npos) << drawing;
}

/// The curve under the points has less.
TEST(ShowPlatform, RatesOfMeasuredPointsAreThoseOfALargeProduct) {
  const Platform alps = load_platform("alps");
  const double seconds = alps.device.kernel.seconds(4096, 4096, 4096);
  const std::string expected = fmt::format("{:.4g} Tflop/s", 2 * std::pow(4096.0, 3) / seconds / 1e12);
  EXPECT_NE(draw_node(alps).find(expected), std::string::npos) << draw_node(alps);
  EXPECT_GT(2 * std::pow(4096.0, 3) / seconds, 1.1 * alps.device.kernel.rate_flops_per_s);
}

TEST(ShowPlatform, NumbersGpusOverSockets) {
  const std::string drawing = draw_node(load_platform("summit"));
  const auto second = drawing.find("socket 1");
  ASSERT_NE(second, std::string::npos);
  EXPECT_LT(drawing.find("X-bus: 41.3 GB/s"), second);
  EXPECT_LT(drawing.find("GPU 2:"), second);
  EXPECT_GT(drawing.find("GPU 3:"), second);
  EXPECT_NE(drawing.find("GPU 5:"), std::string::npos);
  EXPECT_EQ(drawing.find("GPU 6:"), std::string::npos);
}

TEST(ShowPlatform, CoresHaveNoLinks) {
  const std::string text = estimated_here({.cores = 2, .memory_bytes = 10'000'000'000, .host = "test"});
  const std::string drawing = draw_node(parse_platform(text, "here"));
  EXPECT_NE(drawing.find("a device is a core with 2 GB"), std::string::npos) << drawing;
  EXPECT_EQ(drawing.find("GPU"), std::string::npos);
  EXPECT_EQ(drawing.find("network"), std::string::npos);
}

TEST(ShowPlatform, ListsFiguresByKey) {
  const std::string text = show_platform(load_platform("summit", {"platform.nvlink.bandwidth=100e9"}));
  EXPECT_NE(text.find("  nvlink.bandwidth          100 GB/s\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("nvlink.h2d_bandwidth"), std::string::npos);
}

TEST(ShowPlatform, SaysHowWellFiguresAreKnown) {
  const std::string text = small_with("rate = \"1 GB/s\"", "rate = \"1 GB/s\"  # guess: of a core");
  const std::string shown = show_platform(parse_platform(text, "p.toml"));
  EXPECT_NE(shown.find("19 figures: 0 measured, 0 nominal, 0 derived, 1 guessed, 18 unmarked\n"
                       "guesses:\n  generation.rate\n"),
            std::string::npos)
      << shown;
}

TEST(PlatformJson, HasKindsOfFigures) {
  const std::string text = small_with("rate = \"1 GB/s\"", "rate = \"1 GB/s\"  # guess: of a core");
  const nlohmann::json json = platform_summary_json(parse_platform(text, "p.toml"));
  EXPECT_EQ(json.at("kinds").at("guess"), 1);
  EXPECT_EQ(json.at("kinds").at("measured"), 0);
  EXPECT_EQ(json.at("guesses"), nlohmann::json::array({"generation.rate"}));
}

TEST(PlatformJson, HasFiguresInSiUnits) {
  const nlohmann::json json = platform_summary_json(parse_platform(small_platform, "p.toml"));
  EXPECT_EQ(json.at("name"), "small");
  EXPECT_EQ(json.at("devices_per_node"), 2);
  EXPECT_EQ(json.at("figures").at("pcie.bandwidth"), 12e9);
  EXPECT_EQ(json.at("figures").at("device.kind"), "gpu");
}

}  // namespace
}  // namespace foretile::show_test
