// SPDX-License-Identifier: BSD-3-Clause
// Our kernels: random numbers made on the device, sums of tiles, and a copy that does not queue behind copies
// of tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "base/precision.hpp"
#include "executor/cuda/combine_work.hpp"

namespace foretile {

/// Element e becomes (f - 1/2) width, rounded once to double and then to `precision`, with f in [0, 1) from
/// the upper 52 bits of counter_bits(key, e): the bits of executor/tiles/generate.cpp. The stream's device
/// must be current. Returns the launch's status.
cudaError_t launch_make(void* to, std::int64_t elements, std::uint64_t key, double width, Precision precision,
                        cudaStream_t stream);

/// Copies `count` addresses from page-locked host memory to the device, by a kernel: tiles keep the copy
/// engine busy, and cudaMemcpyAsync() of a few bytes would wait for them whatever its stream. Kernels read
/// memory of cudaHostAlloc() at its own address, on all devices
/// (https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__UNIFIED.html). The stream's device must be
/// current. Returns the launch's status.
cudaError_t launch_bring(std::uintptr_t* to, const std::uintptr_t* from, std::int64_t count,
                         cudaStream_t stream);

/// Adds `launch.count` tiles in one launch, with the bits of combine_tile() (executor/cpu/combine.hpp). Tiles
/// are in memory of the device or, where kernels read and write at its own address, of cudaHostAlloc(). The
/// stream's device must be current. Returns the launch's status.
cudaError_t launch_combine(const CombineLaunch& launch, Precision precision, cudaStream_t stream);

}  // namespace foretile
