// SPDX-License-Identifier: BSD-3-Clause
// What the tasks of a plan do on real tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/id.hpp"
#include "planner/plan/flow.hpp"

namespace foretile {

/// Called by the thread of the progress loop alone.
class PlanTasks {
 public:
  virtual ~PlanTasks() = default;
  /// The tile of A or B that the task makes, if it is in memory already; else nullptr.
  virtual std::byte* in_place(const FlowTask& task) = 0;
  /// What a worker does for a task of the rank, which starts now. `tile` is the one of A, B or C that it
  /// makes or reads: column-major, without gaps.
  virtual std::function<void()> job(const FlowTask& task, std::byte* tile) = 0;
  /// The step is over on this rank: none of its tasks comes any more.
  virtual void step_over(Step step) = 0;
};

}  // namespace foretile
