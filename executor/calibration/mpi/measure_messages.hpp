// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks, timed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/time_budget.hpp"
#include "executor/calibration/calibrate.hpp"

namespace foretile {

struct MessageOptions {
  /// 1 KiB to 64 MiB.
  std::vector<std::int64_t> sizes = {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18,
                                     1 << 20, 1 << 22, 1 << 24, 1 << 26};
  double seconds_per_size = 0.2;     ///< about; at least five turns each. For latency five times as long
  TimeBudget budget = TimeBudget();  ///< rank 0's counts: when it is over larger messages are left out
};

/// Ping-pong between ranks 0 and 1, medians of repeated turns. Latency is that of one word, bandwidth that of
/// 16 MB. Collective; needs two ranks at least. Meaningful on rank 0 only.
MessageFigures measure_messages(MPI_Comm communicator, const MessageOptions& options = {});

}  // namespace foretile
