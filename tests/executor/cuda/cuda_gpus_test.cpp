// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/cuda_gpus.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "base/error.hpp"
#include "rig.hpp"

namespace foretile::cuda_gpus_test {
namespace {

class CudaGpusTest : public CudaTest {};

TEST_F(CudaGpusTest, NoGpuIsAnError) {
  fake_cuda::Options options;
  options.devices = 0;
  fake_cuda::reset(options);
  try {
    const CudaGpus gpus;
    FAIL();
  } catch (const WorkError& error) {
    EXPECT_STREQ(error.what(), "cudaGetDeviceCount: no CUDA-capable device is detected (cudaErrorNoDevice)");
  }
}

TEST_F(CudaGpusTest, NoDriverIsAnError) {
  fake_cuda::Options options;
  options.driver = 0;
  fake_cuda::reset(options);
  EXPECT_THROW(CudaGpus(), WorkError);
}

TEST_F(CudaGpusTest, AsksForAllQueuesUnlessTheUserHas) {
  const char* name = "CUDA_DEVICE_MAX_CONNECTIONS";
  unsetenv(name);
  fake_cuda::Options options;
  options.queues = 32;  // at the first call
  fake_cuda::reset(options);
  const CudaGpus gpus;
  setenv(name, "4", 1);
  options.queues = 4;
  fake_cuda::reset(options);
  const CudaGpus others;
  unsetenv(name);
}

TEST_F(CudaGpusTest, Facts) {
  CudaGpus gpus;
  EXPECT_EQ(gpus.count(), 2);
  const GpuFacts facts = gpus.facts(1);
  EXPECT_EQ(facts.name, "Fake GPU");
  // The fake's runtime calls itself 12050 and its driver 13010, which is 1000 major + 10 minor.
  EXPECT_EQ(facts.library, "CUDA 12.5, cuBLAS 12.5.3, driver for CUDA 13.1");
  EXPECT_EQ(facts.memory_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(facts.free_bytes, std::int64_t{1} << 30);
  EXPECT_THROW(gpus.facts(2), std::logic_error);
}

TEST_F(CudaGpusTest, DevicesReachEachOtherOnceOpened) {
  CudaGpus gpus;
  EXPECT_TRUE(gpus.direct(0, 1));
  const auto one = gpus.open(0, 1);
  EXPECT_EQ(fake_cuda::calls("cudaDeviceEnablePeerAccess"), 0);
  const auto other = gpus.open(1, 1);
  const auto same = gpus.open(1, 1);  // a second logical device
  EXPECT_EQ(fake_cuda::calls("cudaDeviceEnablePeerAccess"), 2);
  CudaGpus again;  // of this process, whose devices reach each other already
  const auto third = again.open(1, 1);
  const auto fourth = again.open(0, 1);
  EXPECT_EQ(fake_cuda::calls("cudaDeviceEnablePeerAccess"), 4);
}

TEST_F(CudaGpusTest, CopiesBetweenDevicesWithAndWithoutPeers) {
  for (const bool peers : {true, false}) {
    fake_cuda::Options options;
    options.peers = peers;
    fake_cuda::reset(options);
    CudaGpus gpus;
    EXPECT_EQ(gpus.direct(0, 1), peers);
    EXPECT_TRUE(gpus.direct(0, 0));
    const auto one = gpus.open(0, 1);
    const auto other = gpus.open(1, 1);
    const std::vector<double> values = {1, 2, 3};
    const CopyPiece piece{other->allocate(24), put<double>(gpus, *one, values), 24};
    other->copy(kPeerLane, {&piece, 1});
    wait_for(*other, kPeerLane);
    EXPECT_EQ(get<double>(gpus, *other, piece.to, 3), values);
    EXPECT_EQ(fake_cuda::calls("cudaDeviceEnablePeerAccess"), peers ? 2 : 0);
  }
}

TEST_F(CudaGpusTest, HostMemoryThatIsNotThere) {
  CudaGpus gpus;
  try {
    gpus.allocate_host(std::int64_t{1} << 31);
    FAIL();
  } catch (const WorkError& error) {
    EXPECT_NE(std::string(error.what()).find("2147483648 bytes (2.15 GB) of page-locked host memory"),
              std::string::npos)
        << error.what();
  }
  gpus.free_host(nullptr);
  gpus.free_host(gpus.allocate_host(0));
}

TEST_F(CudaGpusTest, HostMemoryMakesNoContextOnADeviceThatIsNotUsed) {
  CudaGpus gpus;
  gpus.use_for_host(1);
  gpus.free_host(gpus.allocate_host(100));
  const auto device = gpus.open(1, 1);
  gpus.free_host(gpus.allocate_host(100));
  EXPECT_EQ(fake_cuda::contexts(), std::vector<int>{1});
  EXPECT_THROW(gpus.use_for_host(2), std::logic_error);
}

TEST_F(CudaGpusTest, KernelsReachMemoryOfCudaAlone) {
  CudaGpus gpus;
  const auto gpu = gpus.open(0, 1);
  EXPECT_TRUE(gpus.reaches(gpu->allocate(24)));
  std::byte* const pinned = gpus.allocate_host(24);
  EXPECT_TRUE(gpus.reaches(pinned + 23));
  gpus.free_host(pinned);
  const std::byte other{};
  EXPECT_FALSE(gpus.reaches(&other));
}

/// The fake knows no memory but CUDA's own and what is registered.
TEST_F(CudaGpusTest, CopiesFromRegisteredMemoryOfOthers) {
  for (const bool read_only : {false, true}) {
    fake_cuda::Options options;
    options.read_only_memory = read_only;
    fake_cuda::reset(options);
    CudaGpus gpus;
    gpus.use_for_host(1);
    std::vector<double> values = {1, 2, 3};
    auto* const memory = reinterpret_cast<std::byte*>(values.data());
    EXPECT_TRUE(gpus.register_host(memory, 24, true));
    EXPECT_FALSE(gpus.register_host(memory, 24, true));  // by its owner, say
    const auto gpu = gpus.open(1, 1);
    const CopyPiece piece{gpu->allocate(24), memory, 24};
    gpu->copy(kInLane, {&piece, 1});
    wait_for(*gpu, kInLane);
    EXPECT_EQ(get<double>(gpus, *gpu, piece.to, 3), values);
    gpus.unregister_host(memory);
    EXPECT_EQ(fake_cuda::contexts(), std::vector<int>{1});
    EXPECT_EQ(gpus.register_host(memory, 24, false), !read_only);
    if (!read_only) gpus.unregister_host(memory);
  }
}

TEST_F(CudaGpusTest, WhatOthersWaitForGoesBeforeProducts) {
  CudaGpus gpus;
  const auto device = gpus.open(0, 2);
  const std::vector<int> priorities = fake_cuda::priorities();  // smaller ones go first
  ASSERT_EQ(priorities.size(), static_cast<std::size_t>(kFirstKernelLane) + 2);
  for (Lane lane = 0; lane < kFirstKernelLane; ++lane)
    EXPECT_LT(priorities[static_cast<std::size_t>(lane)], priorities[kFirstKernelLane]);
  EXPECT_EQ(priorities[kFirstKernelLane], priorities[kFirstKernelLane + 1]);
}

TEST_F(CudaGpusTest, PausesForAWhileAtMost) {
  CudaGpus gpus;
  const auto start = std::chrono::steady_clock::now();
  gpus.pause(5e-6);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::microseconds(5));
  gpus.pause(3600);  // returns long before: a point may have been reached
  gpus.pause(0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

/// After the first 200 us without a point, pauses are sleeps of 20 us at least.
TEST_F(CudaGpusTest, PausesAreShortWhilePointsAreReached) {
  using Clock = std::chrono::steady_clock;
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
  Clock::duration shortest = std::chrono::hours(1);
  const Clock::time_point start = Clock::now();
  const auto enough = [&] {
    return shortest < PollBackoff::kSleep || Clock::now() - start > std::chrono::seconds(10);
  };
  while (!enough()) {  // others may hold the core for longer than a pause, but not always
    wait_for(*gpu, kInLane);
    const Clock::time_point before = Clock::now();
    gpus.pause(1);
    if (before - start > PollBackoff::kYoung) shortest = std::min(shortest, Clock::now() - before);
  }
  EXPECT_LT(shortest, PollBackoff::kSleep);
}

}  // namespace
}  // namespace foretile::cuda_gpus_test
