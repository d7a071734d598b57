// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_products.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "executor/gpu/stand_in.hpp"
#include "tests/executor/calibration/timed_gpu.hpp"

namespace foretile::measure_products_test {
namespace {

TEST(BestLanes, FewestNearTheBest) {
  // In the mean of the logarithms 2 lanes reach 98.5% of 4 lanes; 1 lane less.
  const std::vector<LaneSample> samples = {{64, 1, 50e9, 0}, {64, 2, 98e9, 0}, {64, 4, 100e9, 0},
                                           {96, 1, 90e9, 0}, {96, 2, 99e9, 0}, {96, 4, 100e9, 0}};
  EXPECT_EQ(best_lanes(samples), 2);
  EXPECT_EQ(best_lanes({}), 1);
  EXPECT_EQ(best_lanes({{64, 1, 1e9, 0}, {64, 2, 0.9e9, 0}}), 1);
}

/// Records what it is asked to multiply, and does nothing.
class Recorder final : public Gpu {
 public:
  struct Launch {
    Lane lane;
    std::vector<TileProduct> products;
  };
  std::byte* allocate(std::int64_t bytes) override {
    memory.emplace_back(static_cast<std::size_t>(bytes));
    return memory.back().data();
  }
  void copy(Lane, std::span<const CopyPiece>) override {}
  void multiply(Lane lane, const ProductForm&, std::span<const TileProduct> products) override {
    ++multiplied[lane];
    if (launches.size() < 500) launches.push_back({lane, {products.begin(), products.end()}});
  }
  void make(Lane, Precision, std::span<const TileToMake>) override {}
  void combine(Lane, Precision, std::span<const TileToCombine>) override {}
  void follow(Lane, Lane) override {}
  std::uint64_t mark(Lane lane) override { return ++marked[lane]; }
  std::uint64_t reached(Lane lane) override {
    ++asked[lane];
    return marked[lane];
  }
  bool inside(const std::byte* tile, std::int64_t bytes, std::size_t third) const {
    const std::byte* const start = memory.at(third).data();
    return tile >= start && tile + bytes <= start + memory.at(third).size();
  }

  std::vector<Launch> launches;
  std::vector<std::vector<std::byte>> memory;
  std::map<Lane, std::uint64_t> multiplied, marked, asked;
};

TEST(ProductBench, UsesAllOfTheRingAndNeverTheSameCOnTwoLanes) {
  StandInGpus gpus;
  Recorder gpu;
  ProductBench bench(gpus, gpu, 4, std::int64_t{3} * 64 * 1024);
  // Tiles of 16 x 16 take 2 KiB: 32 of them in each third, 8 launches of 4, 2 for each of 4 lanes.
  bench.measure({16, 16, 16, 0, 4}, 4, 0.001);
  ASSERT_GE(gpu.launches.size(), 8U);
  std::map<const std::byte*, Lane> lane_of;
  std::set<const std::byte*> a, c;
  for (const Recorder::Launch& launch : gpu.launches) {
    ASSERT_EQ(launch.products.size(), 4U);
    std::set<const std::byte*> here;
    for (const TileProduct& p : launch.products) {
      EXPECT_TRUE(here.insert(p.c).second) << "twice in a launch";
      EXPECT_EQ(lane_of.emplace(p.c, launch.lane).first->second, launch.lane);
      a.insert(p.a);
      c.insert(p.c);
      EXPECT_TRUE(gpu.inside(p.a, 2048, 0));
      EXPECT_TRUE(gpu.inside(p.b, 2048, 1));
      EXPECT_TRUE(gpu.inside(p.c, 2048, 2));
    }
  }
  EXPECT_EQ(a.size(), 32U);
  EXPECT_EQ(c.size(), 32U);
}

TEST(ProductBench, MarksEachLaunchAsARunDoes) {
  StandInGpus gpus;
  Recorder gpu;
  ProductBench bench(gpus, gpu, 2, std::int64_t{3} << 20);
  bench.measure({16, 16, 16, 0, 4}, 2, 0.001);
  for (const Lane lane : {kFirstKernelLane, kFirstKernelLane + 1}) {
    EXPECT_GE(gpu.multiplied[lane], 100U);
    EXPECT_GE(gpu.marked[lane], gpu.multiplied[lane]);
    EXPECT_GE(gpu.asked[lane], gpu.multiplied[lane] / 8);
  }
}

TEST(MeasureLanes, EndsBehindATileWhenTheTimeIsOver) {
  StandInGpus gpus;
  Recorder gpu;
  ProductBench bench(gpus, gpu, 4, std::int64_t{3} << 20);
  const std::vector<LaneSample> samples = measure_lanes(bench, {16, 32, 64}, 4, 0);
  ASSERT_EQ(samples.size(), 3U);  // on 1, 2 and 4 lanes
  for (const LaneSample& sample : samples) EXPECT_EQ(sample.tile, 16);
}

TEST(ProductBench, UsesFewerLanesWhereTheRingIsSmall) {
  StandInGpus gpus;
  Recorder gpu;
  ProductBench bench(gpus, gpu, 4, std::int64_t{3} * 4096);  // two tiles of 16 x 16
  bench.measure({16, 16, 16}, 4, 0.001);
  std::set<Lane> lanes;
  for (const Recorder::Launch& launch : gpu.launches) lanes.insert(launch.lane);
  EXPECT_EQ(lanes.size(), 2U);
  EXPECT_TRUE(bench.fits({16, 16, 16, 0, 2}));
  EXPECT_FALSE(bench.fits({16, 16, 16, 0, 3}));
  EXPECT_FALSE(bench.fits({32, 16, 32}));
  EXPECT_THROW(bench.measure({32, 16, 32}, 1, 0.001), WorkError);
}

TEST(MeasureCurve, LeavesOutWhatTakesTooLong) {
  StandInGpus gpus;
  const auto gpu = gpus.open(0, 2);
  ProductBench bench(gpus, *gpu, 2, std::int64_t{24} << 20);
  bench.fill(Precision::f64);
  // 8 MiB in each third: 1024 x 1024 just fits; 27 shapes in 5 ms leave no time for 2 Gflop.
  const ProductCurve curve = measure_curve(bench, shapes_of({16, 64, 1024}), 2, 0.005);
  EXPECT_TRUE(curve.measured());
  EXPECT_GE(curve.samples.size(), 8U);
  EXPECT_GE(curve.left_out, 1U);
  EXPECT_EQ(curve.samples.size() + curve.left_out, 27U);
  EXPECT_EQ(curve.fit.model.streams, 2);
  EXPECT_GT(curve.fit.model.rate_flops_per_s, 1e7);
  for (const KernelSample& s : curve.samples) EXPECT_GT(s.seconds, 0);
}

/// By the curve a launch takes half a microsecond, and its products 1 ns per operation.
TEST(MeasureMixed, ComparesWithTheCurve) {
  StandInGpus gpus;
  Recorder gpu;
  ProductBench bench(gpus, gpu, 2, std::int64_t{3} << 20);
  ProductCurve curve;
  curve.lanes = 2;
  curve.fit.model = {.rate_flops_per_s = 1e9, .latency_s = 1e-6, .streams = 2};
  const MixedLaunch found = measure_mixed(bench, {16, 32}, 3, curve, 0.001);
  // Products of 16 x 32 x 16, 32 x 16 x 32 and the first again: 16384 + 32768 + 16384 flop.
  EXPECT_NEAR(found.predicted_s, 0.5e-6 + 65536e-9, 1e-12);
  EXPECT_GT(found.seconds, 0);
  const std::vector<TileProduct>& launch = gpu.launches.front().products;
  ASSERT_EQ(launch.size(), 3U);
  EXPECT_EQ(launch[1].m, 32);
  EXPECT_EQ(launch[1].n, 16);
  EXPECT_GE(launch[1].c - launch[0].c, 16 * 32 * 8);
}

/// Four products of 16 cubed take 8 ms after a start of 4 ms; of complex numbers 3 * 4 * 8 ms.
constexpr TimedGpuRates kSlowComplex = {
    .latency_s = 4e-3, .flops_per_s = 4 * 8192 / 8e-3, .complex_factor = 3};

ProductCurve curve_of(const TimedGpuRates& rates) {
  ProductCurve curve;
  curve.fit.model = {.rate_flops_per_s = rates.flops_per_s, .latency_s = rates.latency_s};
  return curve;
}

/// Without the start, and over four real products. The larger tile is left out: 512 ms are too long.
TEST(MeasureComplex, ComparesWithFourRealProducts) {
  StandInGpus gpus;
  TimedGpu gpu(kSlowComplex);
  ProductBench bench(gpus, gpu, 1, std::int64_t{3} << 20);
  const double found = measure_complex(bench, {16, 64}, 4, curve_of(kSlowComplex), 0.2);
  const auto [real_least, real_most] = std::ranges::minmax(gpu.real_seconds());
  const auto [complex_least, complex_most] = std::ranges::minmax(gpu.complex_seconds());
  const double start_s = kSlowComplex.latency_s;
  EXPECT_GT(found, (complex_least - start_s) / (4 * (real_most - start_s)) / 1.5);
  EXPECT_LT(found, (complex_most - start_s) / (4 * (real_least - start_s)) * 1.5);
  bench.measure({16, 16, 16}, 1, 1e-3);
  EXPECT_FALSE(gpu.last_is_complex());
}

/// No room for the tile, no time for it, no tile, and a start that seems longer than the product.
TEST(MeasureComplex, IsOneWhereNothingTells) {
  StandInGpus gpus;
  TimedGpu gpu(kSlowComplex);
  ProductBench small(gpus, gpu, 1, std::int64_t{3} << 10), bench(gpus, gpu, 1, std::int64_t{3} << 20);
  EXPECT_EQ(measure_complex(small, {16}, 4, curve_of(kSlowComplex), 0.2), 1);
  EXPECT_EQ(measure_complex(bench, {16}, 4, curve_of(kSlowComplex), 0.01), 1);
  EXPECT_EQ(measure_complex(bench, {}, 4, curve_of(kSlowComplex), 0.2), 1);
  ProductCurve late = curve_of(kSlowComplex);
  late.fit.model.latency_s = 100;
  EXPECT_EQ(measure_complex(bench, {16}, 4, late, 0.2), 1);
}

/// Beyond what a library can take, whatever was measured.
TEST(MeasureComplex, StaysWithinTen) {
  StandInGpus gpus;
  TimedGpuRates rates = kSlowComplex;
  rates.latency_s = 0;
  rates.complex_factor = 60;
  rates.flops_per_s *= 20;
  TimedGpu gpu(rates);
  ProductBench bench(gpus, gpu, 1, std::int64_t{3} << 20);
  EXPECT_LE(measure_complex(bench, {16}, 4, curve_of(rates), 0.2), 10);
}

TEST(MeasureCurve, NeedsRoomForSomeShapes) {
  StandInGpus gpus;
  const auto gpu = gpus.open(0, 1);
  ProductBench bench(gpus, *gpu, 1, std::int64_t{3} * 4096);
  EXPECT_THROW(measure_curve(bench, shapes_of({512, 1024}), 1, 0.01), WorkError);
}

}  // namespace
}  // namespace foretile::measure_products_test
