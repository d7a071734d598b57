// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/kmeans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile {

namespace {

constexpr int max_rounds = 200;

/// Points at one place, moved as one.
struct Site {
  Point position;
  double weight = 0;
  std::vector<std::int32_t> points;
};

double squared(Point p, Point q) {
  return dot(p - q, p - q);
}

std::vector<Site> distinct_sites(const std::vector<Point>& points, const std::vector<double>& weights) {
  std::vector<std::int32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  const auto place = [&](std::int32_t i) { return std::tuple(points[i].x, points[i].y, points[i].z, i); };
  std::sort(order.begin(), order.end(), [&](std::int32_t l, std::int32_t r) { return place(l) < place(r); });
  std::vector<Site> sites;
  for (const std::int32_t i : order) {
    if (sites.empty() || squared(sites.back().position, points[i]) > 0) sites.push_back({points[i], 0, {}});
    sites.back().weight += weights[i];
    sites.back().points.push_back(i);
  }
  return sites;
}

/// Each next centre is drawn with a chance proportional to weight times squared distance to the nearest one.
std::vector<Point> first_centres(const std::vector<Site>& sites, std::int64_t count, Random& random) {
  std::vector<double> chance;
  for (const Site& site : sites) chance.push_back(site.weight);
  std::vector<double> nearest(sites.size(), std::numeric_limits<double>::infinity());
  std::vector<Point> centres;
  while (std::ssize(centres) < count) {
    double left = random.real() * std::accumulate(chance.begin(), chance.end(), 0.0);
    std::size_t drawn = chance.size();
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (chance[s] <= 0) continue;
      drawn = s;  // the last one with any chance, should rounding leave a rest
      left -= chance[s];
      if (left < 0) break;
    }
    centres.push_back(sites[drawn].position);
    for (std::size_t s = 0; s < sites.size(); ++s) {
      nearest[s] = std::min(nearest[s], squared(sites[s].position, centres.back()));
      chance[s] = sites[s].weight * nearest[s];
    }
  }
  return centres;
}

/// The nearest centre of each site, the first one where several are as near.
std::vector<std::int32_t> nearest_centres(const std::vector<Site>& sites, const std::vector<Point>& centres) {
  std::vector<std::int32_t> owner;
  owner.reserve(sites.size());
  for (const Site& site : sites) {
    const auto nearest = std::min_element(centres.begin(), centres.end(), [&](Point l, Point r) {
      return squared(site.position, l) < squared(site.position, r);
    });
    owner.push_back(static_cast<std::int32_t>(nearest - centres.begin()));
  }
  return owner;
}

void fill_empty_clusters(const std::vector<Site>& sites, const std::vector<Point>& centres,
                         std::vector<std::int32_t>& owner) {
  std::vector<std::int32_t> members(centres.size(), 0);
  for (const std::int32_t o : owner) ++members[o];
  for (std::size_t c = 0; c < centres.size(); ++c) {
    if (members[c] > 0) continue;
    std::size_t farthest = sites.size();
    double most = -1;
    for (std::size_t s = 0; s < sites.size(); ++s) {
      const double d = squared(sites[s].position, centres[owner[s]]);
      if (members[owner[s]] > 1 && d > most) farthest = s, most = d;
    }
    --members[owner[farthest]];
    owner[farthest] = static_cast<std::int32_t>(c);
    members[c] = 1;
  }
}

std::vector<Point> means(const std::vector<Site>& sites, const std::vector<std::int32_t>& owner,
                         std::size_t count) {
  std::vector<Point> sum(count);
  std::vector<double> weight(count, 0.0);
  for (std::size_t s = 0; s < sites.size(); ++s) {
    sum[owner[s]] = sum[owner[s]] + sites[s].weight * sites[s].position;
    weight[owner[s]] += sites[s].weight;
  }
  for (std::size_t c = 0; c < count; ++c) sum[c] = (1 / weight[c]) * sum[c];
  return sum;
}

/// From the first to the second of the two sites farthest apart.
Point long_axis(const std::vector<Site>& sites) {
  Point axis;
  double longest = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    for (std::size_t j = i + 1; j < sites.size(); ++j) {
      const double length = squared(sites[i].position, sites[j].position);
      if (length > longest) axis = sites[j].position - sites[i].position, longest = length;
    }
  }
  return axis;
}

/// Sites of each cluster.
using Members = std::vector<std::vector<std::size_t>>;

double weight_of(const std::vector<Site>& sites, const std::vector<std::size_t>& members) {
  double weight = 0;
  for (const std::size_t s : members) weight += sites[s].weight;
  return weight;
}

Point centre_of(const std::vector<Site>& sites, const std::vector<std::size_t>& members) {
  Point sum;
  for (const std::size_t s : members) sum = sum + sites[s].weight * sites[s].position;
  return (1 / weight_of(sites, members)) * sum;
}

bool within(WeightRange range, double weight) {
  return weight >= range.least && weight <= range.most;
}

/// Cuts the cluster across its longest direction where both parts weigh most alike. Returns the second part.
std::vector<std::size_t> cut_in_two(const std::vector<Site>& sites, std::vector<std::size_t>& members) {
  std::vector<Site> own;
  for (const std::size_t s : members) own.push_back(sites[s]);
  const Point axis = long_axis(own);
  std::stable_sort(members.begin(), members.end(), [&](std::size_t l, std::size_t r) {
    return dot(sites[l].position, axis) < dot(sites[r].position, axis);
  });
  const double half = weight_of(sites, members) / 2;
  std::size_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  double before = 0;
  for (std::size_t cut = 1; cut < members.size(); ++cut) {
    before += sites[members[cut - 1]].weight;
    if (std::abs(before - half) < least) least = std::abs(before - half), best = cut;
  }
  const auto middle = members.begin() + static_cast<std::ptrdiff_t>(best);
  std::vector<std::size_t> second(middle, members.end());
  members.erase(middle, members.end());
  return second;
}

/// The other clusters, the one with the nearest centre first.
std::vector<std::size_t> neighbours(const std::vector<Site>& sites, const Members& clusters, std::size_t of) {
  std::vector<Point> centres;
  for (const auto& members : clusters) centres.push_back(centre_of(sites, members));
  std::vector<std::size_t> others;
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    if (c != of) others.push_back(c);
  }
  std::stable_sort(others.begin(), others.end(), [&](std::size_t l, std::size_t r) {
    return squared(centres[l], centres[of]) < squared(centres[r], centres[of]);
  });
  return others;
}

/// Joins the cluster to the nearest one with which all weights come to be within the range, after a cut if
/// need be; to the nearest one when there is none. Two clusters must be there.
void join(const std::vector<Site>& sites, WeightRange range, Members& clusters, std::size_t light) {
  std::vector<std::size_t> joined;
  const std::vector<std::size_t> others = neighbours(sites, clusters, light);
  const auto partner = std::find_if(others.begin(), others.end(), [&](std::size_t c) {
    joined = clusters[c];
    joined.insert(joined.end(), clusters[light].begin(), clusters[light].end());
    if (within(range, weight_of(sites, joined))) return true;
    const std::vector<std::size_t> second = cut_in_two(sites, joined);
    return within(range, weight_of(sites, joined)) && within(range, weight_of(sites, second));
  });
  std::vector<std::size_t>& to = clusters[partner == others.end() ? others.front() : *partner];
  to.insert(to.end(), clusters[light].begin(), clusters[light].end());
  clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(light));
}

/// Cuts one cluster that is too heavy, or joins one that is too light to another. False when there is none.
bool mend_one(const std::vector<Site>& sites, WeightRange range, Members& clusters) {
  const auto heavy = std::find_if(clusters.begin(), clusters.end(), [&](const auto& members) {
    return members.size() > 1 && weight_of(sites, members) > range.most;
  });
  if (heavy != clusters.end()) {
    std::vector<std::size_t> second = cut_in_two(sites, *heavy);
    clusters.push_back(std::move(second));
    return true;
  }
  const auto light = std::find_if(clusters.begin(), clusters.end(), [&](const auto& members) {
    return weight_of(sites, members) < range.least;
  });
  if (light == clusters.end() || clusters.size() == 1) return false;
  join(sites, range, clusters, static_cast<std::size_t>(light - clusters.begin()));
  return true;
}

void check_weights(const std::vector<Site>& sites, WeightRange range, const Members& clusters) {
  for (const auto& members : clusters) {
    const double weight = weight_of(sites, members);
    if (within(range, weight)) continue;
    throw input_error("k-means", fmt::format("a cluster of weight {}", weight),
                      fmt::format("weights from {} to {}", range.least, range.most),
                      "widen the range or ask for another number of clusters");
  }
}

/// A join may make a cluster too heavy and a cut one too light, so both are repeated. The number of rounds is
/// limited, because a narrow range may have no solution.
void keep_within(const std::vector<Site>& sites, WeightRange range, std::vector<std::int32_t>& owner) {
  Members clusters(static_cast<std::size_t>(*std::max_element(owner.begin(), owner.end())) + 1);
  for (std::size_t s = 0; s < sites.size(); ++s) clusters[owner[s]].push_back(s);
  const std::size_t most_rounds = 10 * sites.size();
  for (std::size_t round = 0; round < most_rounds && mend_one(sites, range, clusters); ++round) {
  }
  check_weights(sites, range, clusters);
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    for (const std::size_t s : clusters[c]) owner[s] = static_cast<std::int32_t>(c);
  }
}

Clusters in_order(const std::vector<Site>& sites, const std::vector<std::int32_t>& owner,
                  const std::vector<Point>& centres) {
  const Point axis = long_axis(sites);
  std::vector<std::size_t> order(centres.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t l, std::size_t r) {
    return dot(centres[l], axis) < dot(centres[r], axis);
  });
  std::vector<std::size_t> rank(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = r;
  Clusters clusters(centres.size());
  for (std::size_t s = 0; s < sites.size(); ++s) {
    auto& members = clusters[rank[owner[s]]];
    members.insert(members.end(), sites[s].points.begin(), sites[s].points.end());
  }
  for (auto& members : clusters) std::sort(members.begin(), members.end());
  return clusters;
}

}  // namespace

Clusters k_means(const std::vector<Point>& points, const std::vector<double>& weights, std::int64_t count,
                 std::uint64_t seed, WeightRange range) {
  const std::vector<Site> sites = distinct_sites(points, weights);
  if (count < 1 || count > std::ssize(sites)) {
    throw input_error("k-means", fmt::format("{} clusters of {} distinct centres", count, sites.size()),
                      fmt::format("1 to {} clusters", sites.size()));
  }
  Random random(seed);
  std::vector<Point> centres = first_centres(sites, count, random);
  std::vector<std::int32_t> owner;
  for (int round = 0; round < max_rounds; ++round) {
    std::vector<std::int32_t> next = nearest_centres(sites, centres);
    fill_empty_clusters(sites, centres, next);
    if (next == owner) break;
    owner = std::move(next);
    centres = means(sites, owner, centres.size());
  }
  if (range != WeightRange{}) {
    keep_within(sites, range, owner);
    centres =
        means(sites, owner, static_cast<std::size_t>(*std::max_element(owner.begin(), owner.end())) + 1);
  }
  return in_order(sites, owner, centres);
}

}  // namespace foretile
