// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/kmeans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile::kmeans_test {
namespace {

std::vector<Point> on_a_line(const std::vector<double>& xs) {
  std::vector<Point> points;
  for (const double x : xs) points.push_back({x, 0, 0});
  return points;
}

// Three groups of two, 1 within and 1000 between: k-means++ takes a second centre from a group that has one
// before every group has one with a chance of about (1/1000)^2, so all seeds end in the same clusters.
TEST(KMeans, FindsGroupsOnALine) {
  const auto points = on_a_line({2000, 0, 1, 1001, 2001, 1000});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Clusters c = k_means(points, std::vector<double>(6, 1.0), 3, seed);
    // Ordered along the line from the first of the two points farthest apart in sorted order, x = 0.
    EXPECT_EQ(c, (Clusters{{1, 2}, {3, 5}, {0, 4}}));
  }
}

// Three points at 0 and one at 5 are two places: two clusters at most.
TEST(KMeans, PointsAtOnePlaceStayTogether) {
  const Clusters c = k_means(on_a_line({0, 5, 0, 0}), std::vector<double>(4, 1.0), 2, 7);
  EXPECT_EQ(c, (Clusters{{0, 2, 3}, {1}}));
  EXPECT_THROW(k_means(on_a_line({0, 5, 0, 0}), std::vector<double>(4, 1.0), 3, 7), InputError);
  EXPECT_THROW(k_means(on_a_line({0, 5}), {1, 1}, 0, 7), InputError);
}

TEST(KMeans, EveryPointOnceAndNoClusterEmpty) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Point> points;
    std::vector<double> weights;
    const auto count = random.integer(1, 40);
    std::set<std::tuple<double, double, double>> places;
    for (std::int64_t i = 0; i < count; ++i) {
      // Few distinct places, so that ties and clusters without members do happen.
      const auto at = [&] { return static_cast<double>(random.integer(0, 3)); };
      points.push_back({at(), at(), at()});
      places.emplace(points.back().x, points.back().y, points.back().z);
      weights.push_back(1 + random.real());
    }
    const auto wanted = random.integer(1, std::ssize(places));
    const Clusters clusters = k_means(points, weights, wanted, seed);
    ASSERT_EQ(std::ssize(clusters), wanted);
    std::vector<int> seen(points.size(), 0);
    for (const auto& members : clusters) {
      EXPECT_FALSE(members.empty());
      EXPECT_TRUE(std::is_sorted(members.begin(), members.end()));
      for (const std::int32_t i : members) ++seen[i];
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), count);
    EXPECT_EQ(clusters, k_means(points, weights, wanted, seed));
  }
}

// As many clusters as places: each is alone, in the order of the line.
TEST(KMeans, OnePlaceEach) {
  const Clusters c = k_means(on_a_line({3, 1, 2, 0}), std::vector<double>(4, 1.0), 4, 1);
  EXPECT_EQ(c, (Clusters{{3}, {1}, {2}, {0}}));
}

// One cluster of 0, 1, 2, 10 with weights 1, 1, 1, 3 weighs 6, more than 4. Its halves of 3 are {0, 1, 2} and
// {10}.
TEST(KMeans, CutsAHeavyClusterIntoHalves) {
  const Clusters c = k_means(on_a_line({10, 0, 2, 1}), {3, 1, 1, 1}, 1, 5, {1, 4});
  EXPECT_EQ(c, (Clusters{{1, 2, 3}, {0}}));
}

// Two clusters {0, 1} and {1000}: the second weighs 1, less than 2, and joins the first.
TEST(KMeans, JoinsALightClusterToTheNearest) {
  const Clusters c = k_means(on_a_line({0, 1, 1000}), {1, 1, 1}, 2, 5, {2, 10});
  EXPECT_EQ(c, (Clusters{{0, 1, 2}}));
}

// {0, 1, 2} and {9}, at most 3: the light one joins, and the joined one of weight 4 is cut into halves of 2.
TEST(KMeans, CutsWhatAJoinMadeTooHeavy) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Clusters c = k_means(on_a_line({0, 1, 2, 9}), {1, 1, 1, 1}, 2, seed, {2, 3});
    EXPECT_EQ(c, (Clusters{{0, 1}, {2, 3}}));
  }
}

// Weights 2 and 2 admit clusters of 2 and 4, none of 3.
TEST(KMeans, ARangeThatCannotBeMetIsAnError) {
  EXPECT_THROW(k_means(on_a_line({0, 5}), {2, 2}, 1, 7, {3, 3}), InputError);
  EXPECT_THROW(k_means(on_a_line({0, 5}), {2, 2}, 2, 7, {3, 3}), InputError);
}

// With `most` at least twice `least` plus the heaviest point, halves of a heavy cluster are never light.
TEST(KMeans, WeightsLieWithinTheRange) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<Point> points;
    std::vector<double> weights;
    const auto count = random.integer(10, 60);
    for (std::int64_t i = 0; i < count; ++i) {
      points.push_back({random.real(), random.real(), random.real()});
      weights.push_back(1 + random.real());
    }
    const double least = 2 + 2 * random.real();
    const WeightRange range{least, 2 * least + 2};
    const Clusters clusters = k_means(points, weights, random.integer(1, count), seed, range);
    std::vector<int> seen(points.size(), 0);
    for (const auto& members : clusters) {
      double weight = 0;
      for (const std::int32_t i : members) ++seen[i], weight += weights[i];
      EXPECT_GE(weight, range.least);
      EXPECT_LE(weight, range.most);
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), count);
  }
}

}  // namespace
}  // namespace foretile::kmeans_test
