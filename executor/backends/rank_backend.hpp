// SPDX-License-Identifier: BSD-3-Clause
// What the executor's progress loop asks of a back end, on top of what the scheduler asks.
#pragma once

#include <functional>
#include <span>
#include <utility>

#include "executor/backends/host_store.hpp"
#include "executor/backends/plan_tasks.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Where messages of the rank go.
struct Transport {
  std::function<void(OperationId, Rank to_rank, const Message&)> send;
  std::function<void(Rank to_rank, const Signal&)> signal;
};

/// What the progress loop tells the scheduler.
struct EndedOperation {
  OperationId id = 0;
  OperationTime time;
};

class RankBackend : public Backend {
 public:
  /// Who hears of finished tiles of C; before the clock starts.
  void tell_finished(std::function<void(TileId)> listener) { finished_ = std::move(listener); }
  void finished(TileId tile) final {
    if (finished_) finished_(tile);
  }

  /// What the tasks of the plan do; before the clock starts. Must outlive this.
  void give_tasks(PlanTasks& tasks) { tasks_ = &tasks; }

  /// The clock starts now.
  virtual void start_clock() = 0;
  /// Operations ended since the last call; waits up to `seconds` for the first. Throws what their work threw.
  /// Valid until the next call.
  virtual std::span<const EndedOperation> ended(double seconds) = 0;

 protected:
  std::function<void()> task_job(HostStore& host, const FlowTask& task) {
    return tasks_->job(task, host.tile_of(task, tasks_->in_place(task)));
  }
  void step_over(HostStore& host, Step step) {
    host.release_step(step);
    tasks_->step_over(step);
  }

 private:
  PlanTasks* tasks_ = nullptr;
  std::function<void(TileId)> finished_;
};

}  // namespace foretile
