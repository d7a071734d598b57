// SPDX-License-Identifier: BSD-3-Clause
// Runs that can be resumed after they died.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/files/tile_log.hpp"
#include "executor/run.hpp"
#include "planner/plan_file.hpp"
#include "planner/remaining.hpp"

namespace foretile {

/// A folder with one file of finished tiles of C for each rank. A run of the same plan with the same folder
/// computes the other tiles alone, and C gets the same bits, unless devices of two kinds take each other's
/// blocks. Tiles are written by a thread of their own while the run goes on. They outlive the death of the
/// processes; after a crash of the machine those that had not reached the disk are computed again.
class Checkpoint {
 public:
  /// Makes the folder if it is missing, finds the finished tiles and takes room for the others. `plan_digest`
  /// stands for the plan file. `whole` must outlive this. Collective; what fails on a rank is thrown on all,
  /// as agree() has it: InputError for the checkpoint of another plan, a place where none can be, too little
  /// room.
  Checkpoint(const std::filesystem::path& folder, const std::string& plan_digest, const PlannedWork& whole,
             MPI_Comm communicator);

  /// What is left: the whole work where no tile is finished.
  const PlannedWork& work() const { return remaining_ ? remaining_->work : whole_; }
  /// Tiles of C of all ranks that were there at the start, and all that have products.
  std::int64_t finished_before() const { return finished_before_; }
  std::int64_t tiles() const { return tiles_; }

  /// Runs this rank's part of work(), keeps its tiles, and adds those that were there, so that the result is
  /// that of the whole work; but its statistics are of what was computed now. Collective, errors as run() has
  /// them.
  RunResult run(const RunOptions& options);

 private:
  void open(const std::filesystem::path& folder, const std::string& plan_digest);
  void add_finished(RunResult& result) const;

  const PlannedWork& whole_;
  MPI_Comm communicator_;
  std::unique_ptr<TileLog> log_;
  std::optional<RemainingWork> remaining_;
  std::vector<TileId> own_before_;  // of this rank, that were there
  std::int64_t finished_before_ = 0, tiles_ = 0;
};

}  // namespace foretile
