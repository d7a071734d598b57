// What foretile-run itself costs on cores: the hand-over between products, and the copying of messages.
#pragma once

#include <mpi.h>

#include "executor/calibrate.hpp"

namespace foretile {

struct RuntimeOptions {
  int tiles = 24;  ///< of 16 in each direction of a dense product: tiles^3 products between all cores
  int runs = 5;
  std::int64_t message_bytes = std::int64_t{8} << 20;
  int messages = 16;  ///< in each direction
};

/// Executes small plans with the ranks of `communicator` on all cores and takes medians. The overhead of a
/// product is the time between two of them on one core, less what the product takes by itself. Messages are
/// measured between ranks 0 and 1 where there are two, by the processor time that either end takes.
/// Collective; the result is the same on all ranks.
RuntimeFigures measure_runtime(MPI_Comm communicator, const RuntimeOptions& options = {});

}  // namespace foretile
