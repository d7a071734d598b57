#include <algorithm>

#include "base/random.hpp"
#include "executor/cuda/kernels.hpp"

namespace foretile {

namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 4096;  // several rounds for the largest GPUs; each thread strides on

template <typename Real>
__global__ void make(Real* to, std::uint64_t elements, std::uint64_t key, double width) {
  constexpr std::uint64_t one = 0x3ff0000000000000ULL;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t e = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; e < elements; e += stride) {
    const double from_one = __longlong_as_double(static_cast<long long>(counter_bits(key, e) >> 12 | one));
    to[e] = static_cast<Real>(__dmul_rn(__dsub_rn(from_one, 1.5), width));
  }
}

__global__ void bring(std::uintptr_t* to, const std::uintptr_t* from, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

/// cudaLaunchKernel() returns its own status; after <<<>>> one would find what failed last, here or
/// elsewhere.
template <typename Real>
cudaError_t launch(void* to, std::int64_t elements, std::uint64_t key, double width, cudaStream_t stream) {
  auto* numbers = static_cast<Real*>(to);
  auto count = static_cast<std::uint64_t>(elements);
  void* arguments[] = {&numbers, &count, &key, &width};
  const auto blocks = static_cast<unsigned>(std::min((elements + kThreads - 1) / kThreads, kMostBlocks));
  return cudaLaunchKernel(reinterpret_cast<const void*>(&make<Real>), dim3(blocks), dim3(kThreads), arguments,
                          0, stream);
}

}  // namespace

cudaError_t launch_make(void* to, std::int64_t elements, std::uint64_t key, double width, Precision precision,
                        cudaStream_t stream) {
  if (elements <= 0) return cudaSuccess;
  return precision == Precision::f64 ? launch<double>(to, elements, key, width, stream)
                                     : launch<float>(to, elements, key, width, stream);
}

cudaError_t launch_bring(std::uintptr_t* to, const std::uintptr_t* from, std::int64_t count,
                         cudaStream_t stream) {
  if (count <= 0) return cudaSuccess;
  void* arguments[] = {&to, &from, &count};
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  return cudaLaunchKernel(reinterpret_cast<const void*>(&bring), dim3(blocks), dim3(kThreads), arguments, 0,
                          stream);
}

}  // namespace foretile
