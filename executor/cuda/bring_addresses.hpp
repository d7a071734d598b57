// A copy that does not queue behind copies of tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace foretile {

/// Copies `count` addresses from page-locked host memory to the device, by a kernel: tiles keep the copy
/// engine busy, and cudaMemcpyAsync() of a few bytes would wait for them whatever its stream. Kernels read
/// memory of cudaHostAlloc() at its own address, on all devices
/// (https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__UNIFIED.html). The stream's device must be
/// current. Returns the launch's status.
cudaError_t launch_bring(std::uintptr_t* to, const std::uintptr_t* from, std::int64_t count,
                         cudaStream_t stream);

}  // namespace foretile
