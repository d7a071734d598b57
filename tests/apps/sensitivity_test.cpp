// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/problem/kinds/dense.hpp"
#include "platforms/guesses.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/small_platform.hpp"

namespace foretile::sensitivity_test {
namespace {

Case case_on(const std::string& platform) {
  DenseParameters dense;
  dense.m = dense.n = dense.k = 800;
  dense.tile = 200;
  Case found;
  found.problem = {"cube", dense_problem_toml(dense), ""};
  found.platform = parse_platform(platform, "p.toml");
  found.size.nodes = 1;
  found.guesses = guessed_keys(found.platform);
  return found;
}

Sensitivity sensitivity_on(const std::string& platform) {
  const Case the_case = case_on(platform);
  ProgressLine nowhere{ProgressTerminal{}};
  return sensitivity(the_case, plan_case(the_case, nowhere), nowhere);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// Products take nearly all of the time: at 0.75 of the rate 1 / 0.75 of it, at 1.25 0.8 of it.
TEST(Sensitivity, OfARateIsThatOfItsTime) {
  std::string text = small_with("rate = \"1 Tflop/s\"", "rate = \"1 Gflop/s\"  # guess");
  text = replaced(text, "rate = \"1 GB/s\"", "rate = \"1 GB/s\"  # guess");
  text = replaced(text, "bandwidth = \"12 GB/s\"", "bandwidth = \"12 GB/s\"  # guess");
  text = replaced(text, "bandwidth = \"10 GB/s\"", "bandwidth = \"10 GB/s\"  # guess");
  text = replaced(text, "nodes = 2", "nodes = 2  # guess");
  const Sensitivity found = sensitivity_on(text);
  ASSERT_EQ(found.rows.size(), 4U);
  EXPECT_EQ(found.rows[0].figure, "device.kernel.rate");
  EXPECT_EQ(found.rows[0].value, "1 Gflop/s");
  EXPECT_NEAR(*found.rows[0].lower_s / found.makespan_s, 1 / 0.75, 0.01);
  EXPECT_NEAR(*found.rows[0].higher_s / found.makespan_s, 0.8, 0.01);
  EXPECT_LT(found.effect(found.rows[1]), 0.01);
  EXPECT_EQ(found.without_role, std::vector<std::string>{"generation.rate"});  // A and B are given
  EXPECT_EQ(found.not_varied, std::vector<std::string>{"nodes"});
  const auto together = std::ranges::find(found.rows, "all bandwidths", &SensitivityRow::figure);
  ASSERT_NE(together, found.rows.end());
  EXPECT_EQ(together->keys.size(), 2U);
  const std::string printed = sensitivity_text(found);
  EXPECT_NE(printed.find("+33."), std::string::npos) << printed;
  EXPECT_NE(printed.find("not varied: nodes"), std::string::npos) << printed;
  EXPECT_EQ(sensitivity_json(found)["rows"].size(), 4U);
}

TEST(Sensitivity, SaysWhatIsNotFeasible) {
  const Sensitivity found = sensitivity_on(small_with(
      "bandwidth = \"12 GB/s\"", "bandwidth = \"12 GB/s\"  # guess\nboth_bandwidth = \"13 GB/s\""));
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_TRUE(found.rows[0].lower_s);
  EXPECT_FALSE(found.rows[0].higher_s);
  EXPECT_NE(found.rows[0].refusal.find("both_bandwidth"), std::string::npos) << found.rows[0].refusal;
  EXPECT_NE(sensitivity_text(found).find("refused"), std::string::npos);
}

TEST(Sensitivity, OfAPlatformWithoutGuessesIsEmpty) {
  const Sensitivity found = sensitivity_on(small_platform);
  EXPECT_TRUE(found.rows.empty());
  EXPECT_NE(sensitivity_text(found).find("no guess"), std::string::npos);
}

}  // namespace
}  // namespace foretile::sensitivity_test
