// SPDX-License-Identifier: BSD-3-Clause
// What foretile-run itself costs on cores: the hand-over between products, and the copying of messages.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "base/time_budget.hpp"
#include "executor/calibration/calibrate.hpp"
#include "executor/calibration/measure.hpp"
#include "executor/calibration/mpi/measure_polling.hpp"

namespace foretile {

struct RuntimeOptions {
  /// Of the dense work in tiles of 16, which has tiles^3 products.
  int tiles = 48;
  /// Of the works in tiles of 64: a dense one has (2 tiles)^3 products, the sparse ones fewer. With a fifth
  /// of the products the loop's tables stay in the caches and an operation seems to take half as long.
  int large_tiles = 20;
  int runs = 5;
  PollingOptions polling = {};
  /// Rank 0's counts: when it is over nothing is repeated any more.
  TimeBudget budget = TimeBudget();
  std::function<void()> progress;  ///< now and then; may be empty
};

/// Of one run: of all ranks, but the time of the last.
struct RunCounts {
  double wall_s = 0;
  double progress_s = 0;  ///< processor time of the progress loop
  double products = 0, operations = 0, loads = 0, stores = 0;
  double most_products = 0;  ///< of a device
};

/// Processor time of the progress loop and what it did for it.
struct ProgressCost {
  double seconds = 0;  ///< per operation of a core
  double loads = 0;    ///< tiles of A and B that came to the device, per operation
  double stores = 0;   ///< tiles of C, per operation
};

struct ProgressOverheads {
  double operation_s = 0;  ///< Runtime::operation_overhead_s
  double load_s = 0;       ///< Runtime::load_overhead_s
  double store_s = 0;      ///< Runtime::store_overhead_s

  /// Per operation.
  double seconds(double loads, double stores) const {
    return operation_s + load_s * loads + store_s * stores;
  }
};

/// Of runs of one work: the median time.
ProgressCost progress_cost(const std::vector<RunCounts>& runs);

/// Solves seconds = operation + load * loads + store * stores for three works: one with few tiles per
/// operation, one with many loads, one with many stores. Figures that would be negative are 0 (projected
/// Gauss-Seidel).
ProgressOverheads progress_overheads(const ProgressCost& few, const ProgressCost& many_loads,
                                     const ProgressCost& many_stores);

/// Of runs of one work: what a product takes beyond its kernel and the progress loop, on the busiest device;
/// 0 where that is less than nothing. The spread is that of all of it, relative. `turns`: devices that share
/// a core.
Summary product_overhead(const std::vector<RunCounts>& runs, double turns, double kernel_s,
                         const ProgressOverheads& progress);

/// Executes small plans with the ranks of `communicator` on all cores and takes medians. The progress loop is
/// measured by its processor time with tiles of 64, which drive its tables out of the caches as a user's do;
/// what is left of the time per product with tiles of 16, beyond the kernel's, is
/// Runtime::product_overhead_s. Messages are measured between ranks 0 and 1 where there are two, by the
/// processor time that either end takes. Collective; the result is the same on all ranks.
RuntimeFigures measure_runtime(MPI_Comm communicator, const RuntimeOptions& options = {});

}  // namespace foretile
