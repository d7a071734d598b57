// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/screening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretile {

namespace {

/// Both decays are exp(-(d / length)^power).
double power(const Decay& decay) {
  return decay.kind == Decay::Kind::exponential ? 1 : 2;
}

double exponent(double distance, const Decay& decay) {
  const double d = distance / decay.length;
  return decay.kind == Decay::Kind::exponential ? d : d * d;
}

}  // namespace

double Decay::magnitude(double distance) const {
  return std::exp(-exponent(distance, *this));
}

double effective_distance(const ClusteredCentres& from, std::size_t from_cluster, const ClusteredCentres& to,
                          std::size_t to_cluster, const Decay& decay) {
  const auto& ours = from.clusters[from_cluster];
  const auto& theirs = to.clusters[to_cluster];
  double least = std::numeric_limits<double>::infinity();
  for (const std::int32_t i : ours) {
    for (const std::int32_t j : theirs) {
      least = std::min(least, exponent(distance(from.centres[i], to.centres[j]), decay));
    }
  }
  // Squares of magnitudes relative to the largest, so that far clusters do not all underflow to zero.
  double squares = 0;
  double pairs = 0;
  for (const std::int32_t i : ours) {
    for (const std::int32_t j : theirs) {
      const double e = exponent(distance(from.centres[i], to.centres[j]), decay);
      const double weight = from.weights[i] * to.weights[j];
      squares += weight * std::exp(-2 * (e - least));
      pairs += weight;
    }
  }
  const double mean = least - 0.5 * std::log(squares / pairs);
  return decay.length * std::pow(std::max(0.0, mean), 1 / power(decay));
}

Links links_within(const ClusteredCentres& from, const ClusteredCentres& to, const Decay& decay,
                   double reach) {
  Links links(from.clusters.size());
  for (std::size_t i = 0; i < from.clusters.size(); ++i) {
    for (std::size_t j = 0; j < to.clusters.size(); ++j) {
      const double d = effective_distance(from, i, to, j, decay);
      if (d <= reach) links[i].push_back({static_cast<std::int32_t>(j), decay.magnitude(d)});
    }
  }
  return links;
}

}  // namespace foretile
