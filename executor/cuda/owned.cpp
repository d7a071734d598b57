// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/owned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "executor/cuda/status.hpp"

namespace foretile {

namespace {

/// What cudaMemGetInfo says. Memory may be free in pieces only.
std::string what_is_missing(std::int64_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return "how much is free is not known";
  const auto free_bytes = static_cast<std::int64_t>(free);
  if (free_bytes >= bytes) {
    return fmt::format("{} are free, but not in one piece; lower the device's budget",
                       spelled_bytes(free_bytes));
  }
  return fmt::format("{} are free, {} are missing; lower the device's budget", spelled_bytes(free_bytes),
                     spelled_bytes(bytes - free_bytes));
}

}  // namespace

/// Smaller numbers go first.
Stream make_stream(Urgency urgency) {
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t made = nullptr;
  check(
      cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, urgency == Urgency::high ? greatest : least),
      "cudaStreamCreateWithPriority");
  return Stream(made);
}

Event make_event() {
  cudaEvent_t made = nullptr;
  check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return Event(made);
}

Blas make_blas() {
  cublasHandle_t made = nullptr;
  check(cublasCreate(&made), "cublasCreate");
  return Blas(made);
}

OwnedDeviceMemory allocate_on_device(std::int64_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw WorkError(fmt::format("{}: {} were asked for, {}", error_text("cudaMalloc", status),
                                spelled_bytes(bytes), what_is_missing(bytes)));
  }
  check(status, "cudaMalloc");
  return OwnedDeviceMemory(static_cast<std::byte*>(memory));
}

PinnedMemory allocate_pinned(std::int64_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaHostAlloc(&memory, static_cast<std::size_t>(bytes), cudaHostAllocPortable);
  if (status != cudaSuccess) {
    cudaGetLastError();
    throw WorkError(fmt::format("{}: {} of page-locked host memory were asked for",
                                error_text("cudaHostAlloc", status), spelled_bytes(bytes)));
  }
  return PinnedMemory(static_cast<std::byte*>(memory));
}

}  // namespace foretile
