// SPDX-License-Identifier: BSD-3-Clause
// Whether the ranks of a run read one file, and whether it stays as it is.
#pragma once

#include <mpi.h>

#include <string>

#include "base/error.hpp"
#include "base/matrix_files/input_file.hpp"

namespace foretile {

InputError written_during_run(const std::string& name);

/// Throws InputError on all ranks, as agree() has it, when they opened files of different sizes or times:
/// it was replaced meanwhile. Collective.
void require_one_file(const InputFile& file, MPI_Comm communicator);

}  // namespace foretile
