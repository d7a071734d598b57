// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/device_memory.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <array>

#include "executor/mpi/communicator.hpp"

namespace foretile {

bool mpi_takes_device_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  require_mpi(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported), "support of GPUs");
  return supported != 0;
#else
  return false;
#endif
}

std::string mpi_version_line() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  require_mpi(MPI_Get_library_version(text.data(), &length), "version");
  const std::string all(text.data(), static_cast<std::size_t>(length));
  std::string line = all.substr(0, all.find('\n'));
  for (char& character : line) character = character == '\t' ? ' ' : character;
  return line;
}

}  // namespace foretile
