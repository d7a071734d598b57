// SPDX-License-Identifier: BSD-3-Clause
// Pieces of memory that ranks send each other, all at once.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/id.hpp"

namespace foretile {

/// `data` is read or written until the exchange ends.
struct ExchangedPiece {
  Rank other = 0;
  double* data = nullptr;
  std::int64_t count = 0;
};

/// Two ranks name their common pieces in the same order, none to itself. Pieces of more than 2^30 numbers are
/// sent in parts. Collective. Throws WorkError when MPI fails.
void exchange(const std::vector<ExchangedPiece>& sent, const std::vector<ExchangedPiece>& received,
              MPI_Comm communicator);

}  // namespace foretile
