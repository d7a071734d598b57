// SPDX-License-Identifier: BSD-3-Clause
// What load_cuda() (executor/gpu/load_cuda.hpp) asks of libforetile_cuda.so.
#include "base/error.hpp"
#include "executor/cuda/cuda_gpus.hpp"
#include "executor/gpu/cuda_plugin.hpp"

foretile::Gpus* foretile_open_cuda_2(std::string* why_not) {
  try {
    return new foretile::CudaGpus;
  } catch (const foretile::WorkError& error) {
    *why_not = error.what();
    return nullptr;
  }
}
