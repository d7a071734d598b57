#include "planner/problems/kmeans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile {
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

}  // namespace
}  // namespace foretile
