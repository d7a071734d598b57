// SPDX-License-Identifier: BSD-3-Clause
// Does the system give what OpenBLAS and MPI take at their start? Without, they hang, crash or print stacks.
#pragma once

#include <cstdint>

namespace foretile {

/// Where the address space is limited, starts the program again with OPENBLAS_NUM_THREADS=1, unless that is
/// set: each thread that OpenBLAS starts when it is loaded asks for its buffer again and again until there is
/// room. Call first in main.
void start_with_one_blas_thread(char** argv);

/// Throws InputError where MPI could not start: a limit of the address space (ulimit -v) or of open files
/// (ulimit -n), and for MPICH over UCX a full /dev/shm or no /proc. Throws WorkError where it would get no
/// thread (ulimit -u). Call it before MPI starts.
void require_room_for_mpi();

/// Throws InputError where a file system of `all_bytes`, with `free_bytes` now, is too small for the queues
/// of `ranks` on a node, of which the others may have theirs already.
void require_shared_memory(std::int64_t all_bytes, std::int64_t free_bytes, int ranks);

}  // namespace foretile
