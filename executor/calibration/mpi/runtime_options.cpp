// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/mpi/runtime_options.hpp"

#include <algorithm>
#include <cmath>

#include "executor/mpi/communicator.hpp"

namespace foretile {

namespace {

/// All works together take about this with the default, half of it for the polls.
constexpr double kAllWorks_s = 20;

}  // namespace

RuntimeOptions runtime_options(MPI_Comm communicator, double seconds) {
  seconds = broadcast(seconds, 0, communicator, "budget");
  RuntimeOptions options;
  options.budget = TimeBudget(seconds);
  // Of the time that rank 0 sent: a clock would give each rank another share.
  const double share = std::min(1.0, seconds / kAllWorks_s);
  options.tiles = std::max(12, static_cast<int>(options.tiles * std::cbrt(share)));
  options.large_tiles = std::max(3, static_cast<int>(options.large_tiles * std::cbrt(share)));
  options.polling.rounds = std::max(6, static_cast<int>(options.polling.rounds * share));
  return options;
}

}  // namespace foretile
