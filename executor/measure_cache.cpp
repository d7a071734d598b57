#include "executor/measure_cache.hpp"

#include <algorithm>
#include <cmath>

namespace foretile {

namespace {

constexpr std::int64_t kProbeTile = 48;  // small enough to gain on all machines measured

double product_seconds(std::vector<Workspace>& spaces, const CacheOptions& options, std::int64_t tile,
                       std::int64_t ring_bytes) {
  const Repetition repetition{static_cast<int>(spaces.size()), options.seconds, 3};
  return mean_of(time_product(repetition, spaces, Precision::f64, {tile, tile, tile}, ring_bytes).seconds);
}

std::int64_t memory_of(const std::vector<double>& elements) {
  return static_cast<std::int64_t>(elements.size() * sizeof(double));
}

/// Round after round over all rings, so that drift is the same for all.
std::vector<RingSample> measure_rings(std::vector<Workspace>& spaces, const CacheOptions& options) {
  const std::int64_t all = memory_of(spaces.front().b);
  std::vector<std::int64_t> rings;
  for (std::int64_t ring = std::int64_t{1} << 20; ring <= all; ring *= 2) rings.push_back(ring);
  std::vector<std::vector<double>> seconds(rings.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < rings.size(); ++i)
      seconds[i].push_back(product_seconds(spaces, options, kProbeTile, rings[i]));
  }
  std::vector<RingSample> samples;
  for (std::size_t i = 0; i < rings.size(); ++i)
    samples.push_back({2.0 * static_cast<double>(rings[i]), summarize(seconds[i]).median});
  return samples;
}

/// The two are measured one after the other, so that drift leaves their ratio alone.
double cached_over_memory(std::vector<Workspace>& spaces, const CacheOptions& options, std::int64_t tile,
                          std::int64_t ring_bytes) {
  std::vector<double> ratios;
  for (int round = 0; round < options.rounds; ++round) {
    const double cached = product_seconds(spaces, options, tile, ring_bytes);
    ratios.push_back(cached / product_seconds(spaces, options, tile, INT64_MAX));
  }
  return std::clamp(summarize(ratios).median, 0.01, 1.0);
}

}  // namespace

double cache_bytes(const std::vector<RingSample>& samples) {
  constexpr double least_gain = 1.05;
  if (samples.size() < 2 || samples.back().seconds < least_gain * samples.front().seconds) return 0;
  const double half = (samples.front().seconds + samples.back().seconds) / 2;
  std::size_t above = 1;
  while (samples[above].seconds < half) ++above;
  const RingSample& low = samples[above - 1];
  const RingSample& high = samples[above];
  const double share = (half - low.seconds) / (high.seconds - low.seconds);
  return low.bytes * std::pow(high.bytes / low.bytes, share);
}

CacheModel measure_cache(std::vector<Workspace>& spaces, const CacheOptions& options) {
  CacheModel cache;
  cache.bytes = std::llround(cache_bytes(measure_rings(spaces, options)));
  if (cache.bytes == 0) return cache;
  for (std::size_t i = 0; i < kFactorSizes.size(); ++i) {
    const std::int64_t tile = kFactorSizes.at(i);
    if (3 * tile * tile * 8 > cache.bytes) break;  // the larger ones find nothing in the cache
    cache.factors.at(i) = cached_over_memory(spaces, options, tile, cache.bytes / 8);
  }
  return cache;
}

}  // namespace foretile
