// SPDX-License-Identifier: BSD-3-Clause
// What the progress loop's polling of MPI take from products on the same cores.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/time_budget.hpp"
#include "executor/calibration/probe.hpp"

namespace foretile {

struct PollingOptions {
  int rounds = 40;
  double round_s = 0.05;
  ProbeRound products = {};  ///< what all cores multiply meanwhile
  std::int64_t message_bytes = std::int64_t{8} << 20;
  std::int64_t short_bytes = std::int64_t{64}
                             << 10;  ///< a message of its own, of which the wire's part is small
};

struct PollingFigures {
  double poll_s = 0;            ///< Runtime::look_overhead_s
  double copy_bytes_per_s = 0;  ///< Runtime::message_copy_bytes_per_s; 0 with one rank
  double polling_delay_s = 0;   ///< Runtime::polling_delay_s; 0 with one rank
};

/// Seconds of a core that products lose for a unit of work: in `seconds` they ran at `beside` on `cores`
/// while `done` units were done, and at `alone` without them. Below 0 where they were faster by chance.
double lost_core_seconds(double alone, double beside, double cores, double seconds, double done);

/// All cores multiply, in turns alone and beside polls. Measured is what products lose: the loop's processor
/// time, and theirs because it displaces their tiles from the caches. The polls find nothing; then, between
/// ranks 0 and 1, they move messages, one at a time in each direction; then short ones, whose time is that
/// until they are seen. Medians over the rounds, means over the ranks. Collective, and for all ranks of a
/// node together; the same on all ranks. There are fewer rounds where rank 0's budget has no time for all of
/// them.
PollingFigures measure_polling(MPI_Comm communicator, const PollingOptions& options,
                               const TimeBudget& budget = TimeBudget());

}  // namespace foretile
