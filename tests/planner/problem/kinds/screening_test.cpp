// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/screening.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretile::screening_test {
namespace {

ClusteredCentres line(const std::vector<double>& xs, const std::vector<double>& weights, Clusters clusters) {
  ClusteredCentres c;
  for (const double x : xs) c.centres.push_back({x, 0, 0});
  c.weights = weights;
  c.clusters = std::move(clusters);
  return c;
}

const Decay exponential{Decay::Kind::exponential, 2.0};
const Decay gaussian{Decay::Kind::gaussian, 2.0};

TEST(Screening, SingleCentresHaveTheirDistance) {
  const auto c = line({0, 5}, {1, 3}, {{0}, {1}});
  EXPECT_NEAR(effective_distance(c, 0, c, 1, exponential), 5.0, 1e-12);
  EXPECT_NEAR(effective_distance(c, 0, c, 1, gaussian), 5.0, 1e-12);
  EXPECT_EQ(effective_distance(c, 0, c, 0, gaussian), 0.0);
  EXPECT_DOUBLE_EQ(exponential.magnitude(4.0), std::exp(-2.0));
  EXPECT_DOUBLE_EQ(gaussian.magnitude(4.0), std::exp(-4.0));
}

// One function at 0; one at 1 and three at 3. Mean square magnitudes, length 2:
//   exponential (e^-1 + 3 e^-3) / 4, gaussian (e^-(2/4) + 3 e^-(18/4)) / 4.
TEST(Screening, ClustersHaveTheRootMeanSquareMagnitude) {
  const auto from = line({0}, {1}, {{0}});
  const auto to = line({1, 3}, {1, 3}, {{0, 1}});
  const double d = effective_distance(from, 0, to, 0, exponential);
  EXPECT_NEAR(std::pow(exponential.magnitude(d), 2), (std::exp(-1.0) + 3 * std::exp(-3.0)) / 4, 1e-14);
  const double g = effective_distance(from, 0, to, 0, gaussian);
  EXPECT_NEAR(std::pow(gaussian.magnitude(g), 2), (std::exp(-0.5) + 3 * std::exp(-4.5)) / 4, 1e-14);
  EXPECT_GT(d, 1.0);
  EXPECT_LT(d, 3.0);
}

TEST(Screening, FarClustersDoNotUnderflow) {
  const auto c = line({0, 500}, {1, 1}, {{0}, {1}});
  EXPECT_NEAR(effective_distance(c, 0, c, 1, {Decay::Kind::gaussian, 0.5}), 500.0, 1e-9);
}

// A chain 0 - 1 - 2 with steps of 1.5: a reach of 1.5 links neighbours, and each with itself.
TEST(Screening, LinksOfAChainOfThree) {
  const auto c = line({0, 1.5, 3}, {1, 1, 1}, {{0}, {1}, {2}});
  const Links links = links_within(c, c, exponential, 1.5 + 1e-12);
  ASSERT_EQ(links.size(), 3U);
  ASSERT_EQ(links[0].size(), 2U);
  EXPECT_EQ(links[0][1].to, 1);
  EXPECT_NEAR(links[0][1].magnitude, std::exp(-0.75), 1e-12);
  EXPECT_EQ(links[1].size(), 3U);
  EXPECT_EQ(links[2][0].to, 1);
}

}  // namespace
}  // namespace foretile::screening_test
