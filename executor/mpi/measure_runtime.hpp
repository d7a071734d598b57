// What foretile-run itself costs on cores: the hand-over between products, and the copying of messages.
#pragma once

#include <mpi.h>

#include "executor/calibrate.hpp"

namespace foretile {

struct RuntimeOptions {
  /// Of 16: a dense work has tiles^3 products, two sparse ones about 2.6 and 0.6 times as many.
  int tiles = 48;
  int runs = 5;
  std::int64_t matrix_bytes = std::int64_t{64} << 20;  ///< three of them per rank; more than the last caches
  std::int64_t message_bytes = std::int64_t{8} << 20;
  int messages = 16;  ///< in each direction
};

/// Per product of a work, on the busiest device.
struct ProductCost {
  double seconds = 0;  ///< of one core, beside the kernel
  double loads = 0;    ///< tiles of A and B that came to the device
  double stores = 0;   ///< tiles of C
};

struct ProductOverheads {
  double product_s = 0;         ///< Runtime::product_overhead_s
  double shared_product_s = 0;  ///< Runtime::shared_product_overhead_s
  double load_s = 0;            ///< Runtime::load_overhead_s
  double store_s = 0;           ///< Runtime::store_overhead_s
};

/// Solves seconds = product + load * loads + store * stores for three works: one with few tiles per product,
/// one with many loads, one with many stores. Figures that would be negative are 0 (projected Gauss-Seidel).
/// `alone_s`: as few.seconds, where one rank has all cores.
ProductOverheads product_overheads(const ProductCost& few, const ProductCost& many_loads,
                                   const ProductCost& many_stores, double alone_s);

/// Executes small plans with the ranks of `communicator` on all cores and takes medians. Messages are
/// measured between ranks 0 and 1 where there are two, by the processor time that either end takes.
/// Collective; the result is the same on all ranks.
RuntimeFigures measure_runtime(MPI_Comm communicator, const RuntimeOptions& options = {});

}  // namespace foretile
