// Messages between two ranks, timed.
#pragma once

#include <mpi.h>

#include "platforms/platform.hpp"

namespace foretile {

/// Ping-pong between ranks 0 and 1: latency from one word, bandwidth from 16 MB, medians of repeated turns.
/// Collective; needs two ranks at least. Meaningful on rank 0 only.
LinkModel measure_messages(MPI_Comm communicator);

}  // namespace foretile
