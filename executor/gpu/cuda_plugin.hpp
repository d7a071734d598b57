// SPDX-License-Identifier: BSD-3-Clause
// The one symbol of libforetile_cuda.so. Needs no CUDA.
#pragma once

#include <string>

#include "executor/gpu/gpu.hpp"

/// The caller owns what it gets; nullptr with the reason when there is no GPU. The number counts changes of
/// executor/gpu/gpu.hpp: a plugin of another build is not taken for ours.
extern "C" [[gnu::visibility("default")]] foretile::Gpus* foretile_open_cuda_2(std::string* why_not);

namespace foretile {

inline constexpr const char* kCudaFactory = "foretile_open_cuda_2";

}  // namespace foretile
