#include "executor/cuda/bring_addresses.hpp"

namespace foretile {

namespace {

constexpr int kThreads = 256;

__global__ void bring(std::uintptr_t* to, const std::uintptr_t* from, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

}  // namespace

/// See make_tiles.cu for cudaLaunchKernel().
cudaError_t launch_bring(std::uintptr_t* to, const std::uintptr_t* from, std::int64_t count,
                         cudaStream_t stream) {
  if (count <= 0) return cudaSuccess;
  void* arguments[] = {&to, &from, &count};
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  return cudaLaunchKernel(reinterpret_cast<const void*>(&bring), dim3(blocks), dim3(kThreads), arguments, 0,
                          stream);
}

}  // namespace foretile
