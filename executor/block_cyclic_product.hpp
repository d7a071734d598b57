// SPDX-License-Identifier: BSD-3-Clause
// C = alpha op(A) op(B) + beta C of parts of block-cyclic matrices, as ScaLAPACK's PxGEMM.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <memory>

#include "base/product_form.hpp"
#include "executor/layout/block_cyclic.hpp"
#include "executor/multiplication.hpp"

namespace foretile {

struct BlockCyclicMatrix {
  BlockCyclicShape shape;
  MatrixRectangle part;  ///< that takes part in the product
};

struct BlockCyclicTask {
  ElementType element;
  Op a_op = Op::none, b_op = Op::none;
  std::complex<double> alpha = 1, beta = 0;
  std::int64_t m = 0, n = 0, k = 0;  ///< op(A) is m x k, op(B) is k x n; all at least 1
  BlockCyclicMatrix a, b, c;
};

/// Several plans are made, and that one is kept in which the busiest rank receives fewest bytes, in messages
/// and in redistribution. Tiles may gather indices that are no neighbours in the matrix but are side by side
/// on a process: where all blocks have the same size, C stays on its process and A and B are used in place,
/// and the plan needs memory for what arrives only. Where no plan fits, the same with smaller tiles.
class BlockCyclicProduct {
 public:
  /// Rank p * columns + q of the communicator is process (p, q) of a grid of rows x columns. Collective.
  /// Errors as Multiplication and BlockCyclic.
  BlockCyclicProduct(MPI_Comm communicator, int rows, int columns, const BlockCyclicTask& task,
                     const MultiplicationOptions& options = {});

  /// Collective. The memory of this rank: A and B are only read.
  MultiplicationReport run(const std::byte* a, const std::byte* b, std::byte* c);
  const PlannedWork& work() const { return product_->work(); }

 private:
  std::unique_ptr<Multiplication> product_;
  std::shared_ptr<const Layout> a_, b_, c_;
};

}  // namespace foretile
