// SPDX-License-Identifier: BSD-3-Clause
// C's tiles brought together, so that each rank writes long pieces of a file's lines.
#pragma once

#include <mpi.h>

#include <functional>
#include <span>

#include "base/matrix_files/matrix_writer.hpp"
#include "executor/backends/host_store.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// Calls `write` with strips of neighbouring tiles of a dense file (MatrixWriter::write()), each tile once on
/// one rank, from several threads at a time. Where the ranks' own tiles have long pieces of the file's lines
/// (rows of a row-major file, `by_rows`, or columns), each rank writes its own. Where they have not, as when
/// tiles are distributed round-robin, ranks send each other tiles, some at a time, for strips of at most 32
/// MiB: ranks that write many short pieces of one file wait for each other. Collective. What `write` throws
/// on a rank is thrown on all, as agree() has it.
void write_in_strips(const Contraction& contraction, const HostStore& host, bool by_rows, int threads,
                     MPI_Comm communicator,
                     const std::function<void(std::span<const RectangleNumbers>)>& write);

}  // namespace foretile
