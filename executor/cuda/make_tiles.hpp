// Random numbers made on the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "base/precision.hpp"

namespace foretile {

/// Element e becomes (f - 1/2) width, rounded once to double and then to `precision`, with f in [0, 1) from
/// the upper 52 bits of counter_bits(key, e): the bits of executor/generate.cpp. The stream's device must be
/// current. Returns the launch's status.
cudaError_t launch_make(void* to, std::int64_t elements, std::uint64_t key, double width, Precision precision,
                        cudaStream_t stream);

}  // namespace foretile
