// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "platforms/compare_view.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::platforms_compare_test {
namespace {

Platform small(const std::vector<std::string>& settings = {}) {
  return parse_platform(small_platform, "p.toml", settings);
}

const ComparedFigure& figure(const PlatformComparison& c, const std::string& key) {
  const auto found =
      std::find_if(c.figures.begin(), c.figures.end(), [&](const auto& f) { return f.key->path == key; });
  if (found == c.figures.end()) throw std::logic_error("no " + key);
  return *found;
}

TEST(ComparePlatforms, FiguresOfBothWithTheirRatio) {
  const PlatformComparison c =
      compare_platforms(small(), small({"platform.device.kernel.rate=3e12", "platform.noise.kernel=0.1"}));
  EXPECT_EQ(figure(c, "device.kernel.rate").ratio(), 3.0);
  EXPECT_EQ(figure(c, "device.kernel.rate").second, "3 Tflop/s");
  EXPECT_EQ(figure(c, "noise.kernel").first, "");  // the first does not have it
  EXPECT_FALSE(figure(c, "noise.kernel").ratio());
  EXPECT_FALSE(figure(c, "device.kind").ratio());
  EXPECT_EQ(figure(c, "device.kind").first, "gpu");
}

/// Without latency and half sizes the rate of all tiles is that of the curve.
TEST(ComparePlatforms, PredictsTheRateOfTiles) {
  const std::vector<std::string> plain = {
      "platform.device.kernel.half_m=0", "platform.device.kernel.half_n=0", "platform.device.kernel.half_k=0",
      "platform.device.kernel.latency=0"};
  std::vector<std::string> faster = plain;
  faster.emplace_back("platform.device.kernel.rate=2e12");
  const PlatformComparison c = compare_platforms(small(plain), small(faster));
  // Four sizes of products and four of copies: neither has curves for batches or single precision.
  ASSERT_EQ(c.predictions.size(), 8U);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(c.predictions[i].first, 1e12, 1);
    EXPECT_NEAR(c.predictions[i].ratio(), 2, 1e-9);
    EXPECT_TRUE(c.predictions[i].differs());
  }
  EXPECT_EQ(c.predictions[0].tile, 256);
  // 256 x 256 x 8 bytes = 524288 at 12 GB/s take 43.69 us, and 10 us before: 9.765 GB/s.
  EXPECT_NEAR(c.predictions[4].first, 524288 / (524288 / 12e9 + 10e-6), 1);
  EXPECT_FALSE(c.predictions[4].differs());
}

/// At 24 GB/s: 524288 bytes in 21.85 us, and 10 us before.
TEST(ComparePlatforms, PredictsCopiesOfBoth) {
  const PlatformComparison c = compare_platforms(small(), small({"platform.pcie.h2d_bandwidth=24e9"}));
  const auto copies = std::find_if(c.predictions.begin(), c.predictions.end(),
                                   [](const auto& p) { return p.what.starts_with("copies"); });
  ASSERT_NE(copies, c.predictions.end());
  EXPECT_NEAR(copies->first, 524288 / (524288 / 12e9 + 10e-6), 1);
  EXPECT_NEAR(copies->second, 524288 / (524288 / 24e9 + 10e-6), 1);
}

/// Nothing is copied to a core.
TEST(ComparePlatforms, ComparesNoCopiesOfAMachineWithoutGpus) {
  const PlatformComparison c = compare_platforms(small(), load_platform("raven"));
  for (const ComparedPrediction& p : c.predictions) EXPECT_FALSE(p.what.starts_with("copies")) << p.what;
}

TEST(ComparePlatforms, NothingIsNoPartOfAnything) {
  EXPECT_FALSE((ComparedFigure{nullptr, "", "", 0.0, 1.0}.ratio()));
  EXPECT_EQ((ComparedFigure{nullptr, "", "", 2.0, 0.0}.ratio()), 0.0);
}

/// Deviations of 0.03 and 0.04 make one of 0.05 for the ratio, so that 9% may be chance and 11% not.
TEST(ComparePlatforms, DiffersByMoreThanTheSpreads) {
  ComparedPrediction p{"", 1, Dimension::flops_per_s, 1.0, 1.09, 0.05};
  EXPECT_FALSE(p.differs());
  p.second = 1.11;
  EXPECT_TRUE(p.differs());
  const PlatformComparison c =
      compare_platforms(small({"platform.noise.kernel=0.03"}), small({"platform.noise.kernel=0.04"}));
  EXPECT_NEAR(c.predictions[0].spread, 0.05, 1e-12);
  EXPECT_EQ(c.predictions[4].spread, 0);  // noise of links is off
}

TEST(ComparePlatforms, BatchesAndSinglePrecisionWhereBothHaveThem) {
  const std::string curve = "rate = 1e12\nhalf_m = 1\nhalf_n = 1\nhalf_k = 1\nlatency = 0\n";
  const std::string more = "[device.batched]\n" + curve + "[device.single]\n" + curve;
  const Platform with = parse_platform(small_with("[pcie]", more + "[pcie]"), "with.toml");
  EXPECT_EQ(compare_platforms(with, small()).predictions.size(), 8U);
  EXPECT_EQ(compare_platforms(with, with).predictions.size(), 16U);
}

TEST(ComparePlatforms, TextMarksWhatDiffers) {
  const std::string text = comparison_text(
      compare_platforms(small(), small({"platform.device.kernel.rate=3e12", "platform.name=b"})));
  EXPECT_NE(text.find("  device.kernel.rate  "), std::string::npos) << text;
  EXPECT_NE(text.find("products, double, 256 x 256"), std::string::npos) << text;
  EXPECT_NE(text.find(" *\n"), std::string::npos) << text;
  EXPECT_NE(text.find("no spread is known"), std::string::npos) << text;
}

TEST(ComparePlatforms, WarnsWhereSoftwareCostsHaveDifferentSources) {
  const std::vector<std::string> paper = {"platform.runtime.source=paper", "platform.name=b"};
  EXPECT_EQ(runtime_warning(compare_platforms(small(paper), small(paper))), "");
  const PlatformComparison c = compare_platforms(small(), small(paper));
  EXPECT_EQ(
      runtime_warning(c),
      "software costs differ: in small they are none counted, in b those of the paper's runtime; simulated "
      "times of the two compare the software too");
  EXPECT_EQ(comparison_json(c).at("runtime_source").dump(), R"({"first":"none","second":"paper"})");
  EXPECT_EQ(comparison_json(c).at("runtimes_differ"), true);
}

TEST(ComparePlatforms, JsonHasNumbers) {
  const nlohmann::json json =
      comparison_json(compare_platforms(small(), small({"platform.noise.link=0.1", "platform.nodes=4"})));
  std::map<std::string, nlohmann::json> figures;
  for (const nlohmann::json& f : json.at("figures")) figures[f.at("key")] = f;
  EXPECT_EQ(figures.at("nodes"),
            (nlohmann::json{{"key", "nodes"}, {"first", 2}, {"second", 4}, {"ratio", 2}}));
  EXPECT_EQ(figures.at("device.kind").at("second"), "gpu");
  EXPECT_TRUE(figures.at("noise.link").at("first").is_null());
  EXPECT_EQ(figures.at("noise.link").at("second"), 0.1);
  EXPECT_TRUE(figures.at("noise.link").at("ratio").is_null());
  EXPECT_EQ(json.at("predictions").at(7).at("spread"), 0.1);
}

}  // namespace
}  // namespace foretile::platforms_compare_test
