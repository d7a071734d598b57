// SPDX-License-Identifier: BSD-3-Clause
// Whether MPI sends from memory of GPUs.
#pragma once

#include <string>

namespace foretile {

/// As MPI itself says: Open MPI by MPIX_Query_cuda_support() (docs.open-mpi.org, "MPIX_Query_cuda_support"),
/// MPICH from 4.0 on by MPIX_GPU_query_support() (mpich.org, its manual page). False where MPI has neither.
/// After MPI_Init.
bool mpi_takes_device_memory();

/// The first line of MPI_Get_library_version().
std::string mpi_version_line();

}  // namespace foretile
