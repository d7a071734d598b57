// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/random.hpp"
#include "executor/cuda/combine_work.hpp"
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

/// Never a fused multiply-add, whatever options the compiler has: the bits of combine_tile().
struct Rounded {
  static __device__ double product(double a, double b) { return __dmul_rn(a, b); }
  static __device__ float product(float a, float b) { return __fmul_rn(a, b); }
  static __device__ double sum(double a, double b) { return __dadd_rn(a, b); }
  static __device__ float sum(float a, float b) { return __fadd_rn(a, b); }
};

/// blockIdx.y is the tile.
template <typename Real>
__global__ void __launch_bounds__(kSide* kDown) combine(const __grid_constant__ CombineLaunch launch) {
  __shared__ SquareMemory<Real> memory;
  const CombineWork& work = launch.tiles[blockIdx.y];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  for (std::int64_t block = blockIdx.x; block < work.blocks; block += gridDim.x) {
    if (work.turned == 0) {
      combine_in_a_row<Real, Rounded>(work, block, x, y);
      continue;
    }
    const Square square = square_of(work, block);
    read_square<Real>(work, square, x, y, memory);
    __syncthreads();
    write_square<Real, Rounded>(work, square, x, y, memory);
    __syncthreads();
  }
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

cudaError_t launch_combine(const CombineLaunch& launch, Precision precision, cudaStream_t stream) {
  std::int64_t most = 0;
  for (int t = 0; t < launch.count; ++t) most = std::max(most, launch.tiles[t].blocks);
  if (most == 0) return cudaSuccess;
  const auto* kernel = precision == Precision::f64 ? reinterpret_cast<const void*>(&combine<double>)
                                                   : reinterpret_cast<const void*>(&combine<float>);
  void* arguments[] = {const_cast<CombineLaunch*>(&launch)};
  const dim3 blocks(static_cast<unsigned>(std::min(most, kMostBlocks)), static_cast<unsigned>(launch.count));
  return cudaLaunchKernel(kernel, blocks, dim3(kSide, kDown), arguments, 0, stream);
}

}  // namespace foretile
