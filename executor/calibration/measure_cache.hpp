// SPDX-License-Identifier: BSD-3-Clause
// The share of the last-level cache that one core gets, and the speed of products with cached tiles.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/time_budget.hpp"
#include "executor/calibration/core_products.hpp"
#include "platforms/device_model.hpp"

namespace foretile {

/// Time of products of tiles that go round in a ring of memory, over that in the largest ring.
struct RingSample {
  double bytes = 0;  ///< of the ring, tiles of B and C together
  double time = 0;
};

/// Where the time is halfway, in the logarithm of the bytes, between that in the smallest ring and that in
/// the largest. Samples by rising bytes. 0: the largest takes less than 1.05 times as long, no cache is felt.
double cache_bytes(const std::vector<RingSample>& samples);

/// CacheModel::kept for a cache of `bytes`: what products gain in a ring of that size over what they gain in
/// the smallest, between samples linear in the logarithm of the bytes; made not to rise (rising_from).
std::array<double, kReuseDistances.size()> kept_shares(const std::vector<RingSample>& samples, double bytes);

/// The values nearest to these by least squares that do not fall from number `first` on; those before stay
/// (isotonic regression by pooling adjacent violators: Barlow and others, Statistical Inference under Order
/// Restrictions, 1972).
std::vector<double> rising_from(std::vector<double> values, std::size_t first);

struct CacheOptions {
  double seconds = 0.05;             ///< of each product measured
  int rounds = 5;                    ///< each figure is the median of so many, one at least
  TimeBudget budget = TimeBudget();  ///< no round begins when it is over
};

/// With all cores busy. The workspaces are filled, in double precision, and several times the last cache.
CacheModel measure_cache(std::vector<Workspace>& spaces, const CacheOptions& options = {});

}  // namespace foretile
