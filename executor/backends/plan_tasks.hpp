// SPDX-License-Identifier: BSD-3-Clause
// What the tasks of a plan do on real tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/id.hpp"
#include "planner/plan/flow.hpp"

namespace foretile {

/// Index d of what a device writes is permutation[d] of what it reads, times `factor`.
struct PermutedCopy {
  std::vector<std::int64_t> extents;  ///< of what is written
  std::vector<int> permutation;
  double factor = 1;
};

/// Called by the thread of the progress loop alone.
class PlanTasks {
 public:
  virtual ~PlanTasks() = default;
  /// A tile of a tensor that this rank has, to be sent or read: column-major, without gaps.
  virtual std::byte* tensor_tile(TileId tile) = 0;
  /// Memory of such a tile, which one of C becomes by this task: as it is, or where `permutes` by a device,
  /// to whose copies it then belongs. nullptr: there is none, and the task adds later.
  virtual std::byte* tensor_place(const FlowTask& task, bool permutes) = 0;
  /// How a device makes that tile of the tile of C.
  virtual PermutedCopy permuted_store(const FlowTask& task) const = 0;
  /// How a device makes this tile of A or B of the tensor's tile that is in its place. Nothing: as it is.
  virtual std::optional<PermutedCopy> permuted_load(TileRef tile) const = 0;
  /// What workers do for a task of the rank, which starts now: `parts` of them at most, at least one, which
  /// may run at once. `from` is the tensor's tile that it reads; nullptr for one on demand, and for a task
  /// that adds. `tile` is the one of A, B or C that it makes, which may be `from`, or reads.
  virtual std::vector<std::function<void()>> jobs(const FlowTask& task, const std::byte* from,
                                                  std::byte* tile, int parts) = 0;
  /// The step is over on this rank: none of its tasks comes any more.
  virtual void step_over(Step step) = 0;
};

}  // namespace foretile
