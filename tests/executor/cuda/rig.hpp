// SPDX-License-Identifier: BSD-3-Clause
// A device with its faked CUDA, and short ways to fill and read it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "executor/cuda/cuda_gpus.hpp"
#include "fake_cuda.hpp"

namespace foretile {

/// Fails the test when CUDA was used wrongly or something was not given back.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override { fake_cuda::reset(); }
  void TearDown() override {
    for (const std::string& complaint : fake_cuda::complaints(true)) ADD_FAILURE() << complaint;
  }
};

inline void wait_for(Gpu& gpu, Lane lane) {
  const std::uint64_t point = gpu.mark(lane);
  while (gpu.reached(lane) < point) fake_cuda::step();
}

/// Page-locked host memory, given back whatever happens.
class HostMemory {
 public:
  HostMemory(Gpus& gpus, std::int64_t bytes) : gpus_(gpus), memory_(gpus.allocate_host(bytes)) {}
  ~HostMemory() { gpus_.free_host(memory_); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  std::byte* get() { return memory_; }

 private:
  Gpus& gpus_;
  std::byte* memory_;
};

/// Memory on the device that holds `values`.
template <typename Real>
std::byte* put(Gpus& gpus, Gpu& gpu, std::span<const Real> values) {
  const auto bytes = static_cast<std::int64_t>(values.size_bytes());
  std::byte* there = gpu.allocate(bytes);
  HostMemory here(gpus, bytes);
  std::memcpy(here.get(), values.data(), values.size_bytes());
  const CopyPiece piece{there, here.get(), bytes};
  gpu.copy(kInLane, {&piece, 1});
  wait_for(gpu, kInLane);
  return there;
}

template <typename Real>
std::vector<Real> get(Gpus& gpus, Gpu& gpu, const std::byte* there, std::int64_t elements) {
  std::vector<Real> values(static_cast<std::size_t>(elements));
  const auto bytes = elements * std::int64_t{sizeof(Real)};
  HostMemory here(gpus, bytes);
  const CopyPiece piece{here.get(), there, bytes};
  gpu.copy(kOutLane, {&piece, 1});
  wait_for(gpu, kOutLane);
  std::memcpy(values.data(), here.get(), static_cast<std::size_t>(bytes));
  return values;
}

}  // namespace foretile
