// SPDX-License-Identifier: BSD-3-Clause
// Freivalds' test of numbers that cannot be generated again: A, B and C are on the ranks that own their
// tiles.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "executor/check/check.hpp"
#include "executor/check/freivalds.hpp"
#include "executor/tiles/tile_storage.hpp"
#include "planner/plan/plan.hpp"

namespace foretile {

/// C_ij X_j is compared with alpha times the sum over k of A_ik (B_kj X_j), plus beta times the initial
/// C_ij X_j where it is read, with the vectors of freivalds(). Only products count that the contraction has:
/// ij must be in the shape of C. A tile's owner multiplies it; the sums over ranks hold two numbers and a
/// size per row of each nonzero tile of B and C, some tile columns at a time.
///
/// The error of a tile is the largest of |found - expected| / S over its rows and vectors, where S is 1.5
/// times |alpha| sum over k of |A_ak| (2-norm of row k of B_kj) + |beta| (2-norm of row a of the initial C).
/// S bounds the partial sums whatever the signs of A and B are, because the signs of X are random; so
/// allowed_error() bounds the error of a right product. A row of zeros must have the difference 0. NaN,
/// infinity, and sums beyond the range of double make the error infinite. All is computed in double.
class DistributedCheck {
 public:
  /// `contraction` and `frame` must outlive this. Generated tiles of A and B are distributed round-robin.
  DistributedCheck(const Contraction& contraction, const PlanFrame& frame, MPI_Comm communicator,
                   const FreivaldsOptions& options = {});
  ~DistributedCheck();
  DistributedCheck(const DistributedCheck&) = delete;
  DistributedCheck& operator=(const DistributedCheck&) = delete;

  /// Before the run, where C is read: this rank's tiles of the initial C. Not collective.
  void add_initial(const std::vector<TileId>& own, const TileStorage& tiles);
  /// Final numbers of a tile of C that this rank holds, from one thread at a time. Not collective.
  void add_final(TileId tile, TileView numbers);
  /// After the run, when each tile of C was added on one rank. Reads A and B again, once for each group of
  /// tile columns that fits into the options' bytes. Collective: what fails on a rank is thrown as agree()
  /// has it. Throws WorkError on all ranks when tiles of C are missing.
  CheckResult result(const TileStorage& tiles);

  class Test;

 private:
  std::unique_ptr<Test> test_;
};

}  // namespace foretile
