// SPDX-License-Identifier: BSD-3-Clause
// Runs a program of contractions on the ranks of a communicator.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "executor/multiplication.hpp"
#include "executor/program/program_numbers.hpp"
#include "planner/program/choose_plan.hpp"
#include "planner/tensor/fused_program.hpp"
#include "scheduler/report/program_times.hpp"

namespace foretile {

/// What a run took; the same on all ranks, but for `ranks`.
struct ProgramReport {
  double wall_s = 0;  ///< from the start on all ranks to the end of the last
  ProgramTimes times;
  std::int64_t sent_bytes = 0;             ///< of all ranks
  std::vector<RankStatistics> ranks = {};  ///< all in order, on rank 0
};

/// The tensors of a program, distributed to the ranks. Collective calls, by the thread that initialized MPI.
/// Errors are as Multiplication has them: until the given tensors are made an error of one rank is thrown on
/// all; what one rank alone fails at later prints one line there and ends the job.
class ProgramRun {
 public:
  /// `program` must outlive this. `options` are those of every plan; all is planned and proven here.
  ProgramRun(MPI_Comm communicator, const FusedProgram& program, const MultiplicationOptions& options,
             const ProgramPlanOptions& plan_options = {});
  /// The same with a plan that is there, for this communicator's ranks: `options.platform` and `parameters`
  /// have no effect.
  ProgramRun(MPI_Comm communicator, const FusedProgram& program, ProgramPlan plan,
             const MultiplicationOptions& options);
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  const ProgramPlan& plan() const;

  /// Host memory that a rank takes at most in run().
  std::int64_t host_bytes() const;

  /// Once: touches its memory, makes the given tensors, and computes all others. Intermediates are dropped
  /// behind the last step that reads them, unless `keeps_intermediates`. Bits depend on the plan alone:
  /// additions to a block have the order of terms, of pieces of their sums, of tiles and of permutations.
  ProgramReport run(const ProgramNumbers& numbers, bool keeps_intermediates = false);

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
