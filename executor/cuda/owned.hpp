// SPDX-License-Identifier: BSD-3-Clause
// What CUDA and cuBLAS hand out, given back by itself. Errors of giving back are of no use to anyone.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace foretile {

struct DestroyStream {
  void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
};
struct DestroyBlas {
  void operator()(cublasHandle_t handle) const { static_cast<void>(cublasDestroy(handle)); }
};
struct FreeOnDevice {
  void operator()(std::byte* memory) const { static_cast<void>(cudaFree(memory)); }
};
struct FreePinned {
  void operator()(std::byte* memory) const { static_cast<void>(cudaFreeHost(memory)); }
};

using Stream = std::unique_ptr<CUstream_st, DestroyStream>;
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;
using Blas = std::unique_ptr<cublasContext, DestroyBlas>;
using OwnedDeviceMemory = std::unique_ptr<std::byte, FreeOnDevice>;
using PinnedMemory = std::unique_ptr<std::byte, FreePinned>;

// All on the current device; they throw WorkError.

/// Which kernels a device begins first when several streams have some: tiles of B that are generated, and
/// moves of tiles, which others wait for, go before products, which fill the device for long
/// (https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html, cudaStreamCreateWithPriority).
enum class Urgency { low, high };

/// Waits for no other stream, not even for the default one.
Stream make_stream(Urgency urgency = Urgency::low);
/// Without timing, which makes it cheaper.
Event make_event();
Blas make_blas();
/// Says how many bytes are missing when there are too few. Requires bytes > 0.
OwnedDeviceMemory allocate_on_device(std::int64_t bytes);
/// Page-locked, for all devices. Requires bytes > 0.
PinnedMemory allocate_pinned(std::int64_t bytes);

}  // namespace foretile
