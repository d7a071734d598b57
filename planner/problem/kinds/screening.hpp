// SPDX-License-Identifier: BSD-3-Clause
// Which clusters of functions are close enough to matter to each other.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/problem/kinds/geometry.hpp"
#include "planner/problem/kinds/kmeans.hpp"

namespace foretile {

/// Functions by their centres (angstrom): `weights[i]` functions sit at `centres[i]`.
struct ClusteredCentres {
  std::vector<Point> centres;
  std::vector<double> weights;
  Clusters clusters;
};

/// How the magnitude of a pair of functions falls with the distance d of their centres.
struct Decay {
  enum class Kind {
    exponential,  ///< exp(-d / length): tails of localized orbitals and amplitudes
    gaussian      ///< exp(-(d / length)^2): overlap of Gaussian functions
  };
  Kind kind;
  double length;  ///< angstrom, positive

  double magnitude(double distance) const;
};

/// The distance at which two single functions have the root mean square magnitude of all pairs of functions
/// from the two clusters. It is between the shortest and the longest distance.
double effective_distance(const ClusteredCentres& from, std::size_t from_cluster, const ClusteredCentres& to,
                          std::size_t to_cluster, const Decay& decay);

/// A cluster that matters to another one, and the root mean square magnitude between the two.
struct Link {
  std::int32_t to;
  double magnitude;
};
/// For each cluster its links, `to` increasing.
using Links = std::vector<std::vector<Link>>;

/// Links every pair of clusters whose effective distance is at most `reach` (angstrom).
Links links_within(const ClusteredCentres& from, const ClusteredCentres& to, const Decay& decay,
                   double reach);

}  // namespace foretile
