// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/stand_in.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

#include "../random_combine.hpp"
#include "base/error.hpp"
#include "executor/tiles/generate.hpp"

namespace foretile::stand_in_test {
namespace {

void wait(Gpus& gpus, Gpu& gpu, Lane lane) {
  for (const std::uint64_t point = gpu.mark(lane); gpu.reached(lane) < point;) gpus.pause(0.01);
}

std::byte* bytes(std::vector<double>& numbers) {
  return reinterpret_cast<std::byte*>(numbers.data());
}

TEST(StandIn, LanesDoTheirWorkInOrderAndFollowEachOther) {
  StandInGpus gpus;
  const auto gpu = gpus.open(0, 2);
  auto *const a = gpu->allocate(8), *const b = gpu->allocate(8), *const c = gpu->allocate(8);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> in{3.0 + round}, two{2.0}, out{0.0};
    gpu->copy(kInLane, std::vector<CopyPiece>{{a, bytes(in), 8}, {b, bytes(two), 8}});
    gpu->follow(kFirstKernelLane, kInLane);
    gpu->multiply(kFirstKernelLane, {{Precision::f64}}, std::vector<TileProduct>{{1, 1, 1, a, b, c, true}});
    gpu->follow(kFirstKernelLane + 1, kFirstKernelLane);
    gpu->multiply(kFirstKernelLane + 1, {{Precision::f64}},
                  std::vector<TileProduct>{{1, 1, 1, a, b, c, false}});
    gpu->follow(kOutLane, kFirstKernelLane + 1);
    gpu->copy(kOutLane, std::vector<CopyPiece>{{bytes(out), c, 8}});
    wait(gpus, *gpu, kOutLane);
    ASSERT_EQ(out[0], 2 * 2.0 * (3.0 + round));
  }
}

template <class Real>
void expect_the_numbers_of_the_cpu(Precision precision) {
  StandInGpus gpus;
  const auto gpu = gpus.open(0, 1);
  std::vector<Real> wanted(1000), found(1000);
  generate_tile(wanted, 42, 3.5);
  const auto size = static_cast<std::int64_t>(1000 * sizeof(Real));
  auto* const tile = gpu->allocate(size);
  gpu->make(kGenerateLane, precision, std::vector<TileToMake>{{tile, 1000, 42, 3.5}});
  gpu->follow(kOutLane, kGenerateLane);
  gpu->copy(kOutLane, std::vector<CopyPiece>{{std::as_writable_bytes(std::span(found)).data(), tile, size}});
  wait(gpus, *gpu, kOutLane);
  EXPECT_EQ(found, wanted);
}

TEST(StandIn, MakesTheSameNumbersAsTheCpu) {
  expect_the_numbers_of_the_cpu<double>(Precision::f64);
  expect_the_numbers_of_the_cpu<float>(Precision::f32);
}

template <class Real>
void expect_the_sums_of_the_cores() {
  StandInGpus gpus;
  const auto gpu = gpus.open(0, 1);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    RandomCombine<Real> x = random_combine<Real>(random);
    {
      const RandomCombine<Real> of_the_call = x;
      const TileToCombine tile = of_the_call.tile(std::as_bytes(std::span(x.from)).data(),
                                                  std::as_writable_bytes(std::span(x.to)).data());
      gpu->combine(kPeerLane, precision_of<Real>(), {&tile, 1});
    }
    wait(gpus, *gpu, kPeerLane);
    EXPECT_EQ(x.to, x.expected);
  }
}

TEST(StandIn, AddsTilesAsTheCoresDo) {
  expect_the_sums_of_the_cores<double>();
  expect_the_sums_of_the_cores<float>();
}

TEST(StandIn, RefusesWhatIsNoPermutation) {
  StandInGpus gpus;
  const auto gpu = gpus.open(0, 1);
  const std::vector<std::int64_t> extents{2, 2};
  const std::vector<int> permutation{1, 1};
  const TileToCombine tile{extents, permutation, 1, 1, nullptr, nullptr};
  EXPECT_THROW(gpu->combine(kPeerLane, Precision::f64, {&tile, 1}), InputError);
}

TEST(StandIn, LogicalDevicesShareThePhysicalMemory) {
  StandInGpus gpus({1, 1000, true});
  const auto one = gpus.open(0, 1);
  {
    const auto two = gpus.open(0, 1);
    one->allocate(600);
    two->allocate(400);
    EXPECT_EQ(gpus.facts(0).free_bytes, 0);
  }
  EXPECT_EQ(gpus.facts(0).free_bytes, 400);
  try {
    one->allocate(500);
    FAIL() << "more than there is";
  } catch (const WorkError& error) {
    EXPECT_NE(std::strstr(error.what(), "100 bytes are missing"), nullptr) << error.what();
  }
}

}  // namespace
}  // namespace foretile::stand_in_test
