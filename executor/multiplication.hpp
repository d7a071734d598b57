// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// For programs that link foretile: one contraction, planned once, run as often as wanted with numbers of
/// their own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/settings.hpp"
#include "executor/check/check.hpp"
#include "executor/gpu/choose_gpus.hpp"
#include "executor/layout/layout.hpp"
#include "executor/tile_storage.hpp"
#include "executor/tiles/tile_storage.hpp"
#include "planner/plan_file.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// How a multiplication is planned and run; all ranks give the same.
struct MultiplicationOptions {
  /// A platform's name or file. "here" is this machine, calibrated or estimated.
  std::string platform = "here";
  /// For a platform of GPUs; `automatic` is CUDA's, and InputError where there are none. With `none` cores
  /// stand for the devices. Of no effect for a platform of cores.
  GpuChoice gpus = GpuChoice::automatic;
  /// Of the plan, as `foretile plan --set` takes them: {{"strategy", "stationary-c"}}. Without a strategy it
  /// is the first one that honours the sources and knows the parameters, and nothing is compared: planning is
  /// part of your run. `foretile simulate` compares by simulation and names the fastest one for your machine;
  /// with "auto" all are planned, and bounds decide, the same on all ranks.
  Settings parameters;
  bool bind = true;  ///< threads to cores of their own, where the ranks of a node have all of its cores
  /// Each run first looks for NaN and infinity in A, B and, where it is read, C, and throws InputError on the
  /// lowest rank that has one.
  bool check_finite = false;
  /// Each run ends with Freivalds' test of C (executor/check/distributed_check.hpp): it reads all tiles of A,
  /// B and of the C that is read at least once more, so these must not change during the run.
  bool verify = false;
};

/// What one run took; the same on all ranks.
struct MultiplicationReport {
  double wall_s = 0;                     ///< from the start on all ranks to the end of the last
  double redistribution_s = 0;           ///< besides: from the caller's layouts and back, of the slowest rank
  std::int64_t redistributed_bytes = 0;  ///< that all ranks sent for it
  double flops = 0;                      ///< of the contraction
  /// With MultiplicationOptions::verify. A wrong product is no error: see CheckResult::passed(). Without
  /// digest.
  std::optional<CheckResult> check = std::nullopt;
};

/// C = alpha op(A) op(B) + beta C on the ranks of a communicator, on cores or GPUs. Which rank keeps which
/// tile follows from the plan: see owner(). Tiles are in host memory; GPUs copy those that are without gaps
/// from where they are, which is fast if you pinned them, and others from pinned memory of this object. It
/// keeps that, the devices and their memory until it goes. Errors are InputError (base/error.hpp) for what
/// the caller can correct and WorkError for what failed: the lowest rank that has one throws it and the
/// others throw WorkError, so that no rank waits. What fails on a rank while products run (MPI,
/// TileStorage::fill_part() or take()) prints one line there and ends the job by MPI_Abort(). Two objects can
/// exist at once, and run one after the other; on GPUs each keeps memory of its own.
class Multiplication {
 public:
  /// Plans and verifies. All calls come from the thread that initialized MPI (without
  /// MPI_THREAD_FUNNELED that is said once); where it is not initialized, this does it, and exit() finalizes
  /// it. Collective: all ranks give the same arguments, else all throw InputError. All objects on a
  /// communicator share a duplicate of it. Throws InputError, too, where the plan does not fit the memory of
  /// the platform.
  Multiplication(MPI_Comm communicator, Contraction contraction, const MultiplicationOptions& options = {});
  /// The same with a plan that is there, for this communicator's ranks: `options.platform` and `parameters`
  /// have no effect.
  Multiplication(MPI_Comm communicator, PlannedWork work, const MultiplicationOptions& options);
  /// Collective.
  ~Multiplication();
  Multiplication(const Multiplication&) = delete;
  Multiplication& operator=(const Multiplication&) = delete;

  /// The contraction of the plan.
  const Contraction& contraction() const;
  /// The plan, for simulate() (simulator/simulation.hpp) or to look at.
  const PlannedWork& work() const;

  /// The library's own of the caller's ranks.
  MPI_Comm communicator() const;

  /// Who keeps the tile: given ones of A and B, and all of C.
  Rank owner(TileRef tile) const;
  /// The nonzero tiles of a matrix that this rank owns, by increasing number; none of a matrix that is
  /// generated.
  std::vector<TileId> own_tiles(Matrix matrix) const;

  /// Multiplies with the numbers of `tiles`. The first run throws InputError where the node has less free
  /// memory than its ranks take beside the caller's. Collective. All own tiles of C that the contraction has
  /// get their final numbers, also those without a product: in place, or by TileStorage::take(). The first
  /// run takes the memory that later ones use again. Products run on one thread of OpenBLAS each; its number
  /// of threads is set back at the end.
  MultiplicationReport run(const TileStorage& tiles);

  /// The same on matrices that are in layouts of the caller's (executor/layout/). A and B are given, and read
  /// only; C is in its layout before and after. Tiles that are in one piece on the rank that owns them are
  /// used in place; the others are moved to memory of this object and, of C, back. The moves are planned in
  /// the first run, and again when a layout changes. Throws InputError for layouts of other extents, that
  /// differ between ranks or describe another rank's memory, and for missing memory.
  MultiplicationReport run(const DistributedMatrix& a, const DistributedMatrix& b,
                           const DistributedMatrix& c);

 private:
  /// Collective. `make` gives the plan.
  void start(MPI_Comm communicator, const MultiplicationOptions& options,
             const std::function<PlannedWork(MPI_Comm own, int cores_on_node)>& make);
  /// Host memory besides tiles that are used where the caller has them: all of these or, for GPUs, those
  /// without gaps.
  std::int64_t bytes_beside(const TileStorage& tiles, bool without_gaps) const;
  /// The same where all own tiles are used so.
  std::int64_t bytes_beside_own() const;
  /// That this node can still give its ranks `bytes` each. Collective.
  void require_free(std::int64_t bytes) const;
  enum class Call : std::uint8_t { on_tiles, in_layouts };
  /// That all ranks run this multiplication in the same way. Collective.
  void require_same_call(Call call) const;
  MultiplicationReport run_on(const TileStorage& tiles);
  MultiplicationReport multiply(const TileStorage& tiles);
  MultiplicationReport multiply_and_verify(const TileStorage& tiles);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foretile
