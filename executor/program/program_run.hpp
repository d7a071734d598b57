// SPDX-License-Identifier: BSD-3-Clause
// Runs a program of contractions on the ranks of a communicator, level by level.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "executor/multiplication.hpp"
#include "executor/program/program_blocks.hpp"
#include "executor/program/program_numbers.hpp"
#include "planner/program/fused_program.hpp"
#include "planner/program/planned_program.hpp"

namespace foretile {

/// What one level took; the same on all ranks.
struct LevelReport {
  int level = 0;                 ///< 0: all, of ProgramMode::flow
  int part = 1, parts = 1;       ///< of a level that is computed in parts (plan_program())
  int products = 0, copies = 0;  ///< terms
  std::int64_t gemms = 0;        ///< products of tiles
  double flops = 0;
  double products_s =
      0;  ///< of the plan that multiplies all products of the level together; of all: everything
  double exchange_s = 0;  ///< before: blocks to those who multiply them, and behind: to their owners
  double permutations_s =
      0;  ///< tiles of A and B, and memory of tiles of C: all of the multiplication but products_s
  double additions_s = 0;  ///< permuted tiles of results, and 0 for blocks without any

  double seconds() const { return products_s + exchange_s + permutations_s + additions_s; }
  std::int64_t exchanged_bytes = 0;  ///< of all ranks, in exchange_s; of all levels: by all messages
  /// Blocks, received blocks and tiles of C, of the rank with most; of all levels: what was proven.
  std::int64_t peak_bytes = 0;
  std::string strategy;  ///< empty without products
};

/// The tensors of a program, dealt to the ranks. Collective calls, by the thread that initialized MPI. Errors
/// are as Multiplication has them: until the given tensors are made an error of one rank is thrown on all;
/// what one rank alone fails at later prints one line there and ends the job.
class ProgramRun {
 public:
  /// `program` must outlive this. `options` are those of every plan; all are planned and proven here.
  ProgramRun(MPI_Comm communicator, const FusedProgram& program, const MultiplicationOptions& options,
             const ProgramPlanOptions& plan_options = {});
  /// The same with plans that are there, for this communicator's ranks on `machine`: `options.platform` and
  /// `parameters` have no effect.
  ProgramRun(MPI_Comm communicator, const FusedProgram& program, const Machine& machine,
             PlannedProgram planned, const MultiplicationOptions& options);
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  /// Of the plans.
  const ProgramDistribution& distribution() const;

  /// Host memory that this rank takes at most in run().
  std::int64_t host_bytes() const;

  /// Once: touches its memory, makes the given tensors, and computes all others. Intermediates are dropped
  /// behind the last level that reads them, unless `keeps_intermediates`. Bits depend on the plans alone:
  /// additions to a block have the order of terms, of pieces of their sums, of tiles and of permutations.
  std::vector<LevelReport> run(const ProgramNumbers& numbers, bool keeps_intermediates = false);

  /// A 64-bit sum of XXH3 (https://xxhash.com) of each stored block of each result, as 16 hexadecimal digits:
  /// of all their bits, whichever rank has them. Collective; each rank reads its own blocks.
  std::string digest() const;

  /// All elements of a tensor, the first index fastest, by its blocks and symmetries, on rank 0; empty
  /// elsewhere. For tensors that fit there.
  std::vector<double> gathered(std::size_t tensor) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foretile
