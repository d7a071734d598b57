// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/guesses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "platforms/here.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::guesses_test {
namespace {

bool is_guessed(const Platform& platform, const std::string& key) {
  const std::vector<std::string> keys = guessed_keys(platform);
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// A guess of watts is one, a guess elsewhere is none.
TEST(Guesses, OfPower) {
  const std::string power = small_platform + "[power]\nnode_idle = 200\nnode_busy = 500";
  EXPECT_FALSE(power_is_guessed(parse_platform(power + "\n", "p.toml")));
  EXPECT_TRUE(power_is_guessed(parse_platform(power + "  # guess\n", "p.toml")));
  EXPECT_FALSE(power_is_guessed(
      parse_platform(small_with("rate = \"1 GB/s\"", "rate = \"1 GB/s\"  # a guess"), "p.toml")));
}

TEST(Guesses, AreMarkedInTheLinesComment) {
  EXPECT_TRUE(guessed_keys(parse_platform(small_platform, "p.toml")).empty());
  const std::string marked = small_with("rate = \"1 GB/s\"", "rate = \"1 GB/s\"  # a guess");
  EXPECT_EQ(guessed_keys(parse_platform(marked, "p.toml")), (std::vector<std::string>{"generation.rate"}));
  const std::string above = small_with("rate = \"1 GB/s\"", "# a guess\nrate = \"1 GB/s\"");
  EXPECT_TRUE(guessed_keys(parse_platform(above, "p.toml")).empty());
}

using Kinds = std::vector<std::pair<std::string, FigureKind>>;

FigureKind kind_of(const Platform& platform, const std::string& key) {
  const Kinds kinds = figure_kinds(platform);
  const auto found = std::ranges::find(kinds, key, &Kinds::value_type::first);
  return found == kinds.end() ? FigureKind::unmarked : found->second;
}

FigureKind kind_with(const std::string& comment) {
  const std::string text = small_with("rate = \"1 GB/s\"", "rate = \"1 GB/s\"  # " + comment);
  return kind_of(parse_platform(text, "p.toml"), "generation.rate");
}

TEST(FigureKinds, AreWordsOfTheLinesComment) {
  EXPECT_EQ(kind_with("measured: [A]; 2 nominal"), FigureKind::measured);
  EXPECT_EQ(kind_with("nominal: a quarter of what was measured"), FigureKind::nominal);
  EXPECT_EQ(kind_with("derived: from another"), FigureKind::derived);
  EXPECT_EQ(kind_with("guess: 90% of nominal"), FigureKind::guess);
  EXPECT_EQ(kind_with("nominal, and a guess"), FigureKind::guess) << "as guessed_keys() takes it";
  EXPECT_EQ(kind_with("[A]"), FigureKind::unmarked);
}

TEST(FigureKinds, OfArraysAreBehindTheLastBracket) {
  const std::string points = R"(points = [
  [64, 64, 64, "9 Gflop/s"],  # measured
  [512, 512, 512, "90 Gflop/s"],
]  # derived: scaled
)";
  const Platform platform =
      parse_platform(small_with("rate = \"1 Tflop/s\"\n", "rate = \"1 Tflop/s\"\n" + points), "p.toml");
  EXPECT_EQ(kind_of(platform, "device.kernel.points"), FigureKind::derived);
}

TEST(FigureKinds, AreOfWhatHasAUnitAndOfCurves) {
  const Kinds kinds = figure_kinds(parse_platform(small_platform, "p.toml"));
  const auto has = [&](const char* key) {
    return std::ranges::count(kinds, key, &Kinds::value_type::first) == 1;
  };
  for (const char* key : {"socket.memory", "device.kernel.half_m", "pcie.latency", "network.bandwidth"})
    EXPECT_TRUE(has(key)) << key;
  for (const char* key :
       {"name", "nodes", "socket.cores", "device.kind", "device.kernel.streams", "runtime.source"})
    EXPECT_FALSE(has(key)) << key;
  const std::string counted = small_with("nodes = 2", "nodes = 2  # guess");
  EXPECT_EQ(kind_of(parse_platform(counted, "p.toml"), "nodes"), FigureKind::guess);
}

TEST(FigureKinds, StayWhereOtherFiguresAreSet) {
  const std::string marked = small_with("rate = \"1 GB/s\"", "rate = \"1 GB/s\"  # measured: [A]");
  const Platform other = parse_platform(marked, "p.toml", {"platform.message.latency=1e-6"});
  EXPECT_EQ(kind_of(other, "generation.rate"), FigureKind::measured);
  const Platform given = parse_platform(other.toml, "plan", {"platform.generation.rate=2e9"});
  EXPECT_EQ(kind_of(given, "generation.rate"), FigureKind::unmarked);
}

/// The system tells cores and memory. Software costs were measured, if elsewhere.
TEST(Guesses, AreTheRatesAndLatenciesOfAnEstimate) {
  const Platform here =
      parse_platform(estimated_here({.cores = 2, .memory_bytes = 8'000'000'000, .host = "test"}), "here");
  for (const char* key : {"generation.rate", "message.latency", "message.bandwidth", "device.kernel.rate"})
    EXPECT_TRUE(is_guessed(here, key)) << key;
  for (const char* key : {"socket.memory", "device.memory", "socket.cores", "runtime.operation_overhead"})
    EXPECT_FALSE(is_guessed(here, key)) << key;
}

/// A stored plan has the text alone.
TEST(Guesses, StayWhereOtherFiguresAreSet) {
  const std::string marked = small_with("rate = \"1 GB/s\"", "rate = \"1 GB/s\"  # a guess");
  const Platform other = parse_platform(marked, "p.toml", {"platform.message.latency=1e-6"});
  EXPECT_EQ(guessed_keys(parse_platform(other.toml, "plan")), (std::vector<std::string>{"generation.rate"}));
  const Platform given = parse_platform(other.toml, "plan", {"platform.generation.rate=2e9"});
  EXPECT_TRUE(guessed_keys(parse_platform(given.toml, "plan")).empty());
}

TEST(Guesses, OfAnEstimateAreWhatIsNotSet) {
  const std::string text = estimated_here({.cores = 2, .memory_bytes = 8'000'000'000, .host = "test"});
  const Platform once = parse_platform(text, "here", {"platform.generation.rate=2e9"});
  const Platform twice = parse_platform(once.toml, "plan", {"platform.message.latency=1e-6"});
  for (const char* key : {"generation.rate", "message.latency"}) EXPECT_FALSE(is_guessed(twice, key)) << key;
  EXPECT_TRUE(is_guessed(twice, "message.bandwidth"));
}

}  // namespace
}  // namespace foretile::guesses_test
