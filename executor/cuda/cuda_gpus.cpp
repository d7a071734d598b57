// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/cuda_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "executor/cuda/cuda_gpu.hpp"
#include "executor/cuda/status.hpp"

namespace foretile {

namespace {

/// Streams share 8 queues into a device by default, and wait for what is ahead of them there; 32 is the
/// most (https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html,
/// section CUDA_DEVICE_MAX_CONNECTIONS). CUDA reads it when it starts; what the user has set stays.
void ask_for_queues() {
  static_cast<void>(setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0));
}

int device_count() {
  ask_for_queues();
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  if (driver == 0) throw WorkError("CUDA finds no NVIDIA driver");
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count < 1) throw WorkError("cudaGetDeviceCount: there is no GPU");
  return count;
}

/// CUDA counts 1000 major + 10 minor.
std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

int blas_property(libraryPropertyType_t property) {
  int value = 0;
  check(cublasGetProperty(property, &value), "cublasGetProperty");
  return value;
}

std::string library_versions() {
  int runtime = 0;
  int driver = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return fmt::format("CUDA {}, cuBLAS {}.{}.{}, driver for CUDA {}", cuda_version(runtime),
                     blas_property(MAJOR_VERSION), blas_property(MINOR_VERSION), blas_property(PATCH_LEVEL),
                     cuda_version(driver));
}

bool can_reach(int device, int peer) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, peer), "cudaDeviceCanAccessPeer");
  return can != 0;
}

void let_reach(int device, int peer) {
  if (!can_reach(device, peer)) return;
  check(cudaSetDevice(device), "cudaSetDevice");
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
  } else {
    check(status, "cudaDeviceEnablePeerAccess");
  }
}

}  // namespace

CudaGpus::CudaGpus() : count_(device_count()) {}

void CudaGpus::require(int physical) const {
  if (physical < 0 || physical >= count_) {
    throw std::logic_error(fmt::format("CudaGpus: no GPU {}, there are {}", physical, count_));
  }
}

GpuFacts CudaGpus::facts(int physical) {
  require(physical);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, physical), "cudaGetDeviceProperties");
  check(cudaSetDevice(physical), "cudaSetDevice");
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  GpuFacts facts;
  facts.name = properties.name;
  facts.library = library_versions();
  facts.memory_bytes = static_cast<std::int64_t>(total);
  facts.free_bytes = static_cast<std::int64_t>(free);
  return facts;
}

std::unique_ptr<Gpu> CudaGpus::open(int physical, int kernel_lanes) {
  require(physical);
  if (kernel_lanes < 1) throw std::logic_error("CudaGpus: a device needs a kernel lane");
  if (std::find(opened_.begin(), opened_.end(), physical) == opened_.end()) {
    for (const int other : opened_) {
      let_reach(physical, other);
      let_reach(other, physical);
    }
    opened_.push_back(physical);
  }
  return std::make_unique<CudaGpu>(physical, kernel_lanes, backoff_, borders_);
}

bool CudaGpus::direct(int from, int to) {
  require(from);
  require(to);
  return from == to || (can_reach(to, from) && can_reach(from, to));
}

void CudaGpus::use_for_host(int physical) {
  require(physical);
  for_host_ = physical;
}

void CudaGpus::make_host_device_current() const {
  check(cudaSetDevice(opened_.empty() ? for_host_ : opened_.front()), "cudaSetDevice");
}

/// Memory that cannot be written, such as a file that is mapped for reading, has to be said to be so, which
/// not every system knows (https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html,
/// cudaHostRegister). What is refused, or was registered by its owner, is no error.
bool CudaGpus::lock(std::byte* begin, std::int64_t bytes, bool read_only) const {
  make_host_device_current();
  const auto size = static_cast<std::size_t>(bytes);
  if (cudaHostRegister(begin, size, cudaHostRegisterPortable) == cudaSuccess) return true;
  cudaGetLastError();
  if (!read_only) return false;
  if (cudaHostRegister(begin, size, cudaHostRegisterPortable | cudaHostRegisterReadOnly) == cudaSuccess)
    return true;
  cudaGetLastError();
  return false;
}

bool CudaGpus::register_host(std::byte* begin, std::int64_t bytes, bool read_only) {
  const bool locked = lock(begin, bytes, read_only);
  if (locked) borders_.add(begin, bytes);
  return locked;
}

/// The devices may have failed: then memory goes with the process.
void CudaGpus::unregister_host(std::byte* begin) {
  static_cast<void>(cudaSetDevice(opened_.empty() ? for_host_ : opened_.front()));
  if (cudaHostUnregister(begin) != cudaSuccess) cudaGetLastError();
  borders_.remove(begin);
}

/// Any device will do, but one that is used anyway costs no context on another.
std::byte* CudaGpus::allocate_host(std::int64_t bytes) {
  make_host_device_current();
  const std::int64_t size = std::max<std::int64_t>(bytes, 1);
  std::byte* const memory = allocate_pinned(size).release();
  borders_.add(memory, size);
  return memory;
}

void CudaGpus::free_host(std::byte* memory) {
  if (!memory) return;
  FreePinned{}(memory);
  borders_.remove(memory);
}

/// https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__UNIFIED.html, cudaPointerGetAttributes
bool CudaGpus::reaches(const std::byte* memory) const {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
  return attributes.type != cudaMemoryTypeUnregistered;
}

/// A point that is reached sends no signal, so it never stays away for long.
void CudaGpus::pause(double seconds) {
  backoff_.pause(seconds);
}

}  // namespace foretile
