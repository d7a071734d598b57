// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_cache.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace foretile {

namespace {

constexpr std::array<std::int64_t, 2> kProbeTiles = {48, 100};  // they gain on all machines measured
/// From 32 on larger tiles gain less, having more products for each byte. Below, the call itself counts.
constexpr std::size_t kFirstRising = 2;
static_assert(kFactorSizes[kFirstRising] == 32);

double product_seconds(std::vector<Workspace>& spaces, const CacheOptions& options, std::int64_t tile,
                       std::int64_t ring_bytes) {
  const Repetition repetition{static_cast<int>(spaces.size()), options.seconds, 3};
  return mean_of(time_product(repetition, spaces, {Precision::f64}, {tile, tile, tile}, ring_bytes).seconds);
}

std::int64_t memory_of(const std::vector<double>& elements) {
  return static_cast<std::int64_t>(elements.size() * sizeof(double));
}

/// Round after round over all rings, so that drift is the same for all. The mean over the probes' tiles.
std::vector<RingSample> measure_rings(std::vector<Workspace>& spaces, const CacheOptions& options) {
  const std::int64_t all = memory_of(spaces.front().b);
  std::vector<RingSample> samples;
  for (std::int64_t ring = std::int64_t{1} << 19; ring <= all; ring *= 2)
    samples.push_back({2.0 * static_cast<double>(ring), 0});
  const TimeBudget budget = options.budget.part(1, 3);  // the factors need more
  std::vector<std::vector<double>> seconds(kProbeTiles.size() * samples.size());
  for (int round = 0; round < options.rounds && (round == 0 || !budget.over()); ++round) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      const auto ring = static_cast<std::int64_t>(samples[i % samples.size()].bytes / 2);
      seconds[i].push_back(product_seconds(spaces, options, kProbeTiles.at(i / samples.size()), ring));
    }
  }
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const std::size_t last = (i / samples.size() + 1) * samples.size() - 1;
    samples[i % samples.size()].time +=
        summarize(seconds[i]).median / summarize(seconds[last]).median / kProbeTiles.size();
  }
  return samples;
}

/// The two are measured one after the other, so that drift leaves their ratio alone.
double cached_over_memory(std::vector<Workspace>& spaces, const CacheOptions& options, std::int64_t tile,
                          std::int64_t ring_bytes) {
  const double cached = product_seconds(spaces, options, tile, ring_bytes);
  return cached / product_seconds(spaces, options, tile, INT64_MAX);
}

}  // namespace

double cache_bytes(const std::vector<RingSample>& samples) {
  constexpr double least_gain = 1.05;
  if (samples.size() < 2 || samples.back().time < least_gain * samples.front().time) return 0;
  const double half = (samples.front().time + samples.back().time) / 2;
  std::size_t above = 1;
  while (samples[above].time < half) ++above;
  const RingSample& low = samples[above - 1];
  const RingSample& high = samples[above];
  const double share = (half - low.time) / (high.time - low.time);
  return low.bytes * std::pow(high.bytes / low.bytes, share);
}

std::array<double, kReuseDistances.size()> kept_shares(const std::vector<RingSample>& samples, double bytes) {
  const double most = samples.back().time - samples.front().time;
  const auto lost = [&](double ring) {
    std::size_t above = 1;
    while (above + 1 < samples.size() && samples[above].bytes < ring) ++above;
    const RingSample& low = samples[above - 1];
    const RingSample& high = samples[above];
    const double place = std::log(ring / low.bytes) / std::log(high.bytes / low.bytes);
    const double time = std::lerp(low.time, high.time, std::clamp(place, 0.0, 1.0));
    return std::clamp((time - samples.front().time) / most, 0.0, 1.0);
  };
  std::vector<double> all;
  for (const int percent : kReuseDistances) all.push_back(lost(percent / 100.0 * bytes));
  all = rising_from(std::move(all), 0);
  std::array<double, kReuseDistances.size()> kept{};
  std::transform(all.begin(), all.end(), kept.begin(), [](double share) { return 1 - share; });
  return kept;
}

std::vector<double> rising_from(std::vector<double> values, std::size_t first) {
  struct Pool {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (std::size_t i = first; i < values.size(); ++i) {
    pools.push_back({values[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::size_t at = first;
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.count; ++i) values[at++] = pool.mean();
  }
  return values;
}

CacheModel measure_cache(std::vector<Workspace>& spaces, const CacheOptions& options) {
  CacheModel cache;
  const std::vector<RingSample> rings = measure_rings(spaces, options);
  cache.bytes = std::llround(cache_bytes(rings));
  if (cache.bytes == 0) return cache;
  cache.kept = kept_shares(rings, static_cast<double>(cache.bytes));
  // The larger ones find nothing in the cache.
  const auto fits = [&](std::int64_t tile) { return 3 * tile * tile * 8 <= cache.bytes; };
  const auto sizes = static_cast<std::size_t>(std::count_if(kFactorSizes.begin(), kFactorSizes.end(), fits));
  std::vector<std::vector<double>> ratios(sizes);
  for (int round = 0; round < options.rounds && (round == 0 || !options.budget.over()); ++round) {
    for (std::size_t i = 0; i < sizes; ++i)
      ratios[i].push_back(cached_over_memory(spaces, options, kFactorSizes.at(i), cache.bytes / 8));
  }
  std::vector<double> medians;
  for (const std::vector<double>& of_size : ratios)
    medians.push_back(std::clamp(summarize(of_size).median, 0.01, 1.0));
  const std::vector<double> rising = rising_from(std::move(medians), kFirstRising);
  std::copy(rising.begin(), rising.end(), cache.factors.begin());
  return cache;
}

}  // namespace foretile
