// SPDX-License-Identifier: BSD-3-Clause
// Files that a run reads A, B and C from and writes C to.
#pragma once

#include <mpi.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "executor/check/check.hpp"
#include "executor/check/distributed_check.hpp"
#include "executor/files/file_tiles.hpp"
#include "executor/run.hpp"
#include "planner/plan_file.hpp"

namespace foretile {

/// Nothing happens where the problem's numbers come from a seed and no output is wanted. All calls but the
/// last three are collective; what fails on a rank is thrown on all, as agree() has it.
class RunFiles {
 public:
  /// Opens the files of a problem of kind "matrices", and begins the output unless its name is empty;
  /// with `overwrite` also where a dataset of that name is there.
  /// The work may get other operations (executor/files/file_tiles.hpp). `problem` and `work` must outlive
  /// this.
  RunFiles(const Problem& problem, PlannedWork& work, const std::string& output, bool overwrite,
           MPI_Comm communicator);

  /// Refuses files with other numbers than the problem was made for.
  void require_unchanged();
  /// Refuses NaN and infinity.
  void require_finite(int threads) const;
  /// Keeps what `--verify` needs of the initial C.
  void prepare_check(int threads);
  /// Tiles of C that no product reaches join the others. Takes note of the longest time in which a rank read
  /// its tiles.
  void complete(RunResult& result);
  /// Of a run on numbers from files, after complete().
  CheckResult check(const HostStore& host, const std::string& c_digest);
  void write(const HostStore& host, int threads);

  /// Of this rank's tiles of A and B that stay where their files are mapped to memory.
  std::int64_t bytes_in_place(bool without_gaps) const;
  /// nullptr: from the seed.
  const TileStorage* storage() const { return tiles_.get(); }
  std::string text() const;
  nlohmann::ordered_json json() const;

 private:
  const PlannedWork& work_;
  MPI_Comm communicator_;
  std::string output_name_;
  std::unique_ptr<FileTiles> tiles_;
  std::vector<TileId> own_c_;
  std::optional<DistributedCheck> check_;
  std::optional<OutputOfC> output_;
  double check_s_ = 0, read_s_ = 0;
  std::int64_t in_place_bytes_ = 0;  // of all ranks
  std::optional<double> output_s_;   // once C is written
};

}  // namespace foretile
