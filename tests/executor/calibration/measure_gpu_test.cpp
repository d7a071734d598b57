// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_gpu.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "executor/gpu/stand_in.hpp"

namespace foretile::measure_gpu_test {
namespace {

TEST(TimeBudget, SharesWhatIsLeft) {
  const TimeBudget budget(100);
  EXPECT_NEAR(budget.share(1, 4), 25, 1);
  EXPECT_EQ(TimeBudget(0).left(), 0);
  EXPECT_EQ(TimeBudget(-1).share(1, 1), 0);
}

/// Copies half a KiB for each repetition.
struct Bench {
  Bench() : gpu(gpus.open(0, 1)), from(64, 1.0), to(64, 0.0) {}
  void give(std::int64_t first, std::int64_t count) {
    EXPECT_EQ(first, next);
    next += count;
    const CopyPiece piece{reinterpret_cast<std::byte*>(to.data()),
                          reinterpret_cast<const std::byte*>(from.data()), 512};
    for (std::int64_t i = 0; i < count; ++i) gpu->copy(kInLane, {&piece, 1});
    counts.push_back(count);
  }
  Measured measure(bool queued, double seconds) {
    const GpuLane lane{gpu.get(), kInLane};
    const auto hand_out = [this](std::int64_t first, std::int64_t count) { give(first, count); };
    return queued ? measure_queued(gpus, {&lane, 1}, seconds, hand_out)
                  : measure_alone(gpus, {&lane, 1}, seconds, hand_out);
  }

  StandInGpus gpus;
  std::unique_ptr<Gpu> gpu;
  std::vector<double> from, to;
  std::int64_t next = 0;
  std::vector<std::int64_t> counts;
};

/// A busy machine may make a single copy last long enough, but not each time.
TEST(MeasureQueued, GrowsUntilASampleIsLongEnough) {
  std::optional<Bench> tried;
  Measured found;
  for (int attempt = 0; attempt < 50 && found.each == 1; ++attempt)
    found = tried.emplace().measure(true, 0.05);
  Bench& bench = *tried;
  EXPECT_EQ(bench.counts.front(), 1);  // not measured
  EXPECT_GT(found.each, 1);
  EXPECT_EQ(bench.counts.back(), found.each);
  EXPECT_GE(found.samples, 1);
  EXPECT_GT(found.seconds, 0);
  EXPECT_EQ(bench.to[63], 1.0);  // it was waited for
}

TEST(MeasureQueued, MeasuresOnceWhateverTheTime) {
  const Measured found = Bench().measure(true, 0);
  EXPECT_EQ(found.samples, 1);
  EXPECT_EQ(found.spread, 0);  // one says nothing about it
  EXPECT_GT(found.seconds, 0);
}

TEST(MeasureAlone, OneRepetitionInEachSample) {
  Bench bench;
  const Measured found = bench.measure(false, 0.01);
  EXPECT_EQ(found.each, 1);
  EXPECT_EQ(static_cast<int>(bench.counts.size()), found.samples + 1);
}

/// Takes 2 ms for each copy, in the call.
class Sleeper final : public Gpu {
 public:
  std::byte* allocate(std::int64_t) override { return nullptr; }
  void copy(Lane, std::span<const CopyPiece>) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  void multiply(Lane, const ProductForm&, std::span<const TileProduct>) override {}
  void make(Lane, Precision, std::span<const TileToMake>) override {}
  void combine(Lane, Precision, std::span<const TileToCombine>) override {}
  void follow(Lane, Lane) override {}
  std::uint64_t mark(Lane) override { return ++marks_; }
  std::uint64_t reached(Lane) override { return marks_; }

 private:
  std::uint64_t marks_ = 0;
};

TEST(MeasureQueued, TimesOneRepetition) {
  StandInGpus gpus;
  Sleeper sleeper;
  const GpuLane lane{&sleeper, kInLane};
  const Measured found = measure_queued(gpus, {&lane, 1}, 0.1, [&](std::int64_t, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) sleeper.copy(kInLane, {});
  });
  EXPECT_GE(found.seconds, 2e-3);
  EXPECT_LT(found.seconds, 20e-3);  // a busy machine
}

}  // namespace
}  // namespace foretile::measure_gpu_test
