// SPDX-License-Identifier: BSD-3-Clause
// Turns the statuses of CUDA and cuBLAS into errors.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <string>
#include <string_view>

namespace foretile {

/// "cudaMemcpyAsync: an illegal memory access was encountered (cudaErrorIllegalAddress)".
std::string error_text(std::string_view call, cudaError_t status);
std::string error_text(std::string_view call, cublasStatus_t status);

/// Throws WorkError with that text unless all is well. What the status says may be about earlier work.
void check(cudaError_t status, std::string_view call);
void check(cublasStatus_t status, std::string_view call);

}  // namespace foretile
