// SPDX-License-Identifier: BSD-3-Clause
// How fast tiles are read from a file.
#pragma once

#include <cstdint>

#include "base/matrix_files/matrix_reader.hpp"

namespace foretile {

/// In bytes/s, of elements as they are in memory.
struct ReadSpeed {
  double one_thread = 0;
  double all_threads = 0;  ///< together
  int threads = 1;
};

/// Reads squares of `tile` elements, smaller at the matrix's edges, in the order of the file: for about
/// `seconds` on one thread from the begin, and as long on `threads`, each from another place. What the system
/// keeps of the file in memory is read from there, as in a run.
ReadSpeed read_speed(const MatrixReader& matrix, std::int64_t tile, int threads, double seconds);

}  // namespace foretile
