// SPDX-License-Identifier: BSD-3-Clause
// Runs a program of contractions as one plan in which tiles flow from term to term.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <utility>

#include "executor/gpu/choose_gpus.hpp"
#include "executor/program/program_blocks.hpp"
#include "planner/program/flow_plan.hpp"

namespace foretile {

/// On the devices and cores of the communicator's ranks.
class FlowRun {
 public:
  /// `program` must outlive this. `bind` and `gpus`: MultiplicationOptions.
  FlowRun(MPI_Comm communicator, const FusedProgram& program, FlowPlan plan, bool bind, GpuChoice gpus)
      : communicator_(communicator),
        program_(program),
        plan_(std::move(plan)),
        gpus_(gpus_for(plan_.work.machine, gpus)),
        bind_(bind) {}

  struct Times {
    double wall_s = 0;               ///< from the start on all ranks to the end of the last
    std::int64_t sent_bytes = 0;     ///< of all ranks
    std::int64_t planned_bytes = 0;  ///< of host memory, of a rank at most: proven for dropped intermediates
    double flops = 0;
    std::int64_t gemms = 0;
    std::string strategy;
  };
  /// With the given tensors in `blocks`, but those that are made when they are needed; makes all others, and
  /// drops intermediates behind their last use unless `keeps_intermediates`. Collective; the caller ends the
  /// job where one rank fails.
  Times run(ProgramBlocks& blocks, const GivenBlocks& given, bool keeps_intermediates);

 private:
  MPI_Comm communicator_;
  const FusedProgram& program_;
  FlowPlan plan_;
  std::unique_ptr<Gpus> gpus_;  // nullptr: cores
  bool bind_;
};

}  // namespace foretile
