// The share of the last-level cache that one core gets, and the speed of products with cached tiles.
#pragma once

#include <vector>

#include "executor/core_products.hpp"
#include "platforms/device_model.hpp"

namespace foretile {

/// Time of a product of tiles that go round in a ring of memory.
struct RingSample {
  double bytes = 0;  ///< of the ring, tiles of B and C together
  double seconds = 0;
};

/// Where the time is halfway, in the logarithm of the bytes, between that in the smallest ring and that in
/// the largest. Samples by rising bytes. 0: the largest takes less than 1.05 times as long, no cache is felt.
double cache_bytes(const std::vector<RingSample>& samples);

struct CacheOptions {
  double seconds = 0.05;  ///< of each product measured
  int rounds = 3;         ///< each figure is the median of so many
};

/// With all cores busy. The workspaces are filled, in double precision, and several times the last cache.
CacheModel measure_cache(std::vector<Workspace>& spaces, const CacheOptions& options = {});

}  // namespace foretile
