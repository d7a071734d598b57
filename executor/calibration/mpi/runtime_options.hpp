// SPDX-License-Identifier: BSD-3-Clause
// How much of measure_runtime() a time has room for.
#pragma once

#include <mpi.h>

#include "executor/calibration/mpi/measure_runtime.hpp"

namespace foretile {

/// Smaller works where `seconds` are few. Rank 0's count, and all ranks have the same works: they execute
/// them together. The budget begins now. Collective.
RuntimeOptions runtime_options(MPI_Comm communicator, double seconds);

}  // namespace foretile
