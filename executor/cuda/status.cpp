// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/status.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace foretile {

std::string error_text(std::string_view call, cudaError_t status) {
  return fmt::format("{}: {} ({})", call, cudaGetErrorString(status), cudaGetErrorName(status));
}

std::string error_text(std::string_view call, cublasStatus_t status) {
  return fmt::format("{}: {} ({})", call, cublasGetStatusString(status), cublasGetStatusName(status));
}

void check(cudaError_t status, std::string_view call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // the runtime keeps what failed last; a later call that worked must not find it
  throw WorkError(error_text(call, status));
}

void check(cublasStatus_t status, std::string_view call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw WorkError(error_text(call, status));
}

}  // namespace foretile
