// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "executor/calibration/measure.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kAskedEvery = 8;  // launches of a lane

double flops_of(const KernelSample& s) {
  return 2.0 * s.batch * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + 255) / 256 * 256;
}

std::vector<GpuLane> kernel_lanes(Gpu& gpu, int lanes) {
  std::vector<GpuLane> all;
  for (int lane = 0; lane < lanes; ++lane) all.push_back({&gpu, kFirstKernelLane + lane});
  return all;
}

/// Tiles of one size in a ring, by the number of their use.
std::byte* turn(std::byte* ring, std::int64_t ring_bytes, std::int64_t tile_bytes, std::int64_t use) {
  return ring + use % (ring_bytes / tile_bytes) * tile_bytes;
}

std::vector<ProductSize> sizes_of(const KernelSample& s) {
  return std::vector<ProductSize>(static_cast<std::size_t>(s.batch), ProductSize{s.m, s.n, s.k});
}

}  // namespace

ProductBench::Layout ProductBench::layout(const std::vector<ProductSize>& launch,
                                          std::int64_t element_bytes) {
  Layout largest;
  for (const ProductSize& s : launch) {
    largest.a = std::max(largest.a, aligned(s.m * s.k * element_bytes));
    largest.b = std::max(largest.b, aligned(s.k * s.n * element_bytes));
    largest.c = std::max(largest.c, aligned(s.m * s.n * element_bytes));
  }
  return largest;
}

ProductBench::ProductBench(Gpus& gpus, Gpu& gpu, int lanes, std::int64_t bytes)
    : gpus_(gpus),
      gpu_(gpu),
      most_lanes_(lanes),
      third_(aligned(std::max<std::int64_t>(bytes / 3, 1))),
      a_(gpu.allocate(third_)),
      b_(gpu.allocate(third_)),
      c_(gpu.allocate(third_)) {}

void ProductBench::fill(Precision precision) {
  element_ = {precision, false};
  std::vector<TileToMake> tiles;
  std::uint64_t key = 1;
  for (std::byte* ring : {a_, b_, c_}) {
    const std::int64_t elements = third_ / bytes_of(precision);
    tiles.push_back({ring, elements, key++, std::sqrt(static_cast<double>(elements) / 3)});
  }
  const GpuLane lane{&gpu_, kGenerateLane};
  gpu_.make(kGenerateLane, precision, tiles);
  wait_for(gpus_, {&lane, 1});
}

bool ProductBench::fits(const KernelSample& s) const {
  return fits(layout(sizes_of(s), element_.bytes()), static_cast<std::size_t>(s.batch));
}

bool ProductBench::fits(const Layout& tiles, std::size_t products) const {
  return tiles.a <= third_ && tiles.b <= third_ && static_cast<std::int64_t>(products) * tiles.c <= third_;
}

Measured ProductBench::measure(const KernelSample& s, int lanes, double seconds) {
  return measure_launch(sizes_of(s), lanes, seconds);
}

Measured ProductBench::measure_launch(const std::vector<ProductSize>& launch, int lanes, double seconds) {
  const Layout tiles = layout(launch, element_.bytes());
  if (launch.empty() || !fits(tiles, launch.size())) {
    throw WorkError(
        fmt::format("calibration: a launch of {} products does not fit into {} bytes of device memory",
                    launch.size(), 3 * third_));
  }
  const std::int64_t places = third_ / (tiles.c * static_cast<std::int64_t>(launch.size()));
  const int used =
      static_cast<int>(std::clamp<std::int64_t>(lanes, 1, std::min<std::int64_t>(places, most_lanes_)));
  const std::vector<GpuLane> on = kernel_lanes(gpu_, used);
  return measure_queued(gpus_, on, seconds, [&](std::int64_t first, std::int64_t count) {
    give(launch, tiles, used, first, count);
  });
}

/// Lane l has the launches l, l + lanes, ... and of the tiles of C those with the same remainder, so that no
/// two lanes write the same one. Each launch is marked, and the marks asked for now and then, as in a run:
/// the host's time for both is part of what a launch takes.
void ProductBench::give(const std::vector<ProductSize>& launch, const Layout& tiles, int lanes,
                        std::int64_t first, std::int64_t count) {
  const auto batch = static_cast<std::int64_t>(launch.size());
  const std::int64_t turns = third_ / (tiles.c * batch * lanes);  // at least 1
  launch_.resize(launch.size());
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::int64_t lane = i % lanes;
    const std::int64_t place = (i / lanes % turns * lanes + lane) * batch;
    for (std::int64_t p = 0; p < batch; ++p) {
      const ProductSize& size = launch[static_cast<std::size_t>(p)];
      launch_[static_cast<std::size_t>(p)] = {size.m,
                                              size.n,
                                              size.k,
                                              turn(a_, third_, tiles.a, i * batch + p),
                                              turn(b_, third_, tiles.b, i * batch + p),
                                              c_ + (place + p) * tiles.c,
                                              false};
    }
    const Lane on = kFirstKernelLane + static_cast<Lane>(lane);
    gpu_.multiply(on, {{element_}}, launch_);
    gpu_.mark(on);
    if (i / lanes % kAskedEvery == kAskedEvery - 1) gpu_.reached(on);
  }
}

std::vector<LaneSample> measure_lanes(ProductBench& bench, const std::vector<std::int64_t>& tiles, int most,
                                      double seconds) {
  const TimeBudget budget(seconds);
  std::vector<LaneSample> wanted;
  for (const std::int64_t tile : tiles) {
    for (int lanes = 1; lanes <= most; lanes *= 2) wanted.push_back({tile, lanes, 0, 0});
  }
  std::vector<LaneSample> found;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    LaneSample sample = wanted[i];
    if (sample.lanes == 1 && !found.empty() && budget.over()) break;  // all of a tile or nothing
    const KernelSample shape{sample.tile, sample.tile, sample.tile};
    if (!bench.fits(shape)) continue;
    const Measured time =
        bench.measure(shape, sample.lanes, budget.share(1, static_cast<double>(wanted.size() - i)));
    sample.flops_per_s = flops_of(shape) / time.seconds;
    sample.spread = time.spread;
    found.push_back(sample);
  }
  return found;
}

int best_lanes(const std::vector<LaneSample>& samples) {
  std::map<int, double> logs;  // sums: each number of lanes has the same tiles
  std::map<int, double> tiles;
  for (const LaneSample& s : samples) {
    logs[s.lanes] += std::log(s.flops_per_s);
    tiles[s.lanes] += 1;
  }
  double best = -std::numeric_limits<double>::infinity();
  for (auto& [lanes, sum] : logs) best = std::max(best, sum /= tiles[lanes]);
  for (const auto& [lanes, mean] : logs) {
    if (mean >= best + std::log(0.97)) return lanes;
  }
  return 1;
}

MixedLaunch measure_mixed(ProductBench& bench, const std::vector<std::int64_t>& tiles, int products,
                          const ProductCurve& curve, double seconds) {
  std::vector<ProductSize> launch;
  const auto of = [&](int i) { return tiles[static_cast<std::size_t>(i) % tiles.size()]; };
  for (int p = 0; p < products; ++p) launch.push_back({of(p), of(p + 1), of(p + 2)});
  const Measured time = bench.measure_launch(launch, curve.lanes, seconds);
  DeviceModel device;
  device.kernel = curve.fit.model;
  return {products, time.seconds, device.launch_seconds(Precision::f64, launch), time.spread};
}

double measure_complex(ProductBench& bench, const std::vector<std::int64_t>& tiles, int batch,
                       const ProductCurve& curve, double seconds) {
  const double start_s = curve.fit.model.start_seconds();
  const TimeBudget budget(seconds);
  const auto time = [&](const KernelSample& shape, bool is_complex, double share_s) {
    bench.take_as_complex(is_complex);
    return bench.measure(shape, curve.lanes, share_s).seconds;
  };
  std::vector<double> factors;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const KernelSample shape{tiles[i], tiles[i], tiles[i], 0, batch};
    const double share_s = budget.share(1, static_cast<double>(tiles.size() - i)) / 2;
    bench.take_as_complex(true);
    const double tile = static_cast<double>(tiles[i]);
    const double least_s = 3 * 4 * 2 * batch * tile * tile * tile / curve.fit.model.rate_flops_per_s;
    if (!bench.fits(shape) || least_s > 3 * share_s) continue;
    const double complex_s = time(shape, true, share_s), real_s = time(shape, false, share_s);
    if (real_s > 2 * start_s) factors.push_back((complex_s - start_s) / (4 * (real_s - start_s)));
  }
  bench.take_as_complex(false);
  return factors.empty() ? 1 : std::clamp(summarize(factors).median, 0.1, 10.0);
}

ProductCurve measure_curve(ProductBench& bench, std::vector<KernelSample> shapes, int lanes, double seconds) {
  const TimeBudget budget(seconds);
  ProductCurve curve;
  curve.when = utc_now();
  curve.lanes = lanes;
  std::erase_if(shapes, [&](const KernelSample& s) { return !bench.fits(s); });
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const KernelSample& x, const KernelSample& y) { return flops_of(x) < flops_of(y); });
  double best_rate = 0;
  std::vector<double> spreads;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    KernelSample& sample = shapes[i];
    const double share = budget.share(1, static_cast<double>(shapes.size() - i));
    // Twice at least: once unmeasured.
    const bool too_long = best_rate > 0 && 2 * flops_of(sample) / best_rate > 3 * share;
    if (too_long && curve.samples.size() >= 8) {
      ++curve.left_out;
      continue;
    }
    const Measured time = bench.measure(sample, lanes, share);
    sample.seconds = time.seconds;
    sample.spread = time.spread;
    best_rate = std::max(best_rate, flops_of(sample) / time.seconds);
    if (time.spread > 0) spreads.push_back(time.spread);
    curve.samples.push_back(sample);
  }
  curve.fit = fit_kernel_model(curve.samples);
  curve.fit.model.latency_s *= lanes;
  curve.fit.model.streams = lanes;
  curve.spread = summarize(spreads).median;
  return curve;
}

}  // namespace foretile
