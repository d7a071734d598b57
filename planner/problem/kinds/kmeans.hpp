// SPDX-License-Identifier: BSD-3-Clause
// k-means clustering of points with weights.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "planner/problem/kinds/geometry.hpp"

namespace foretile {

/// Members of each cluster: indices of points, increasing; every cluster has at least one.
using Clusters = std::vector<std::vector<std::int32_t>>;

/// Weights that a cluster may have, both ends among them.
struct WeightRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool operator==(const WeightRange&) const = default;
};

/// Lloyd's iteration from a k-means++ start (Arthur and Vassilvitskii, SODA 2007) with `seed`, until no point
/// moves or after 200 rounds. A cluster that loses all its members takes the point farthest from its own
/// centre. Points at the same place stay together, so `count` may not exceed the number of distinct places.
/// Clusters are ordered along the line from the first to the last of the two points farthest apart, so that
/// neighbours in number are neighbours in space. At the end, as long as a cluster weighs more or less than
/// `range` allows: the heavy one is cut across its longest direction into halves of nearly the same weight,
/// the light one joins the cluster with the nearest centre. The number of clusters may then differ from
/// `count`. Throws InputError when `count` is out of range or when `range` is not met after 10 cuts and joins
/// per point.
Clusters k_means(const std::vector<Point>& points, const std::vector<double>& weights, std::int64_t count,
                 std::uint64_t seed, WeightRange range = {});

}  // namespace foretile
