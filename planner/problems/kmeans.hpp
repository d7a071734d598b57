// k-means clustering of points with weights.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/problems/geometry.hpp"

namespace foretile {

/// Members of each cluster: indices of points, increasing; every cluster has at least one.
using Clusters = std::vector<std::vector<std::int32_t>>;

/// Lloyd's iteration from a k-means++ start (Arthur and Vassilvitskii, SODA 2007) with `seed`, until no point
/// moves or after 200 rounds. A cluster that loses all its members takes the point farthest from its own
/// centre. Points at the same place stay together, so `count` may not exceed the number of distinct places.
/// Clusters are ordered along the line from the first to the last of the two points farthest apart, so that
/// neighbours in number are neighbours in space. Throws InputError when `count` is out of range.
Clusters k_means(const std::vector<Point>& points, const std::vector<double>& weights, std::int64_t count,
                 std::uint64_t seed);

}  // namespace foretile
