// SPDX-License-Identifier: BSD-3-Clause
// Tasks between the products of one rank, and the messages that wait for them.
#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/generation.hpp"
#include "scheduler/operations.hpp"
#include "scheduler/send_queue.hpp"
#include "scheduler/statistics.hpp"

namespace foretile {

/// Starts each task of a rank when what it waits for is there and its step may begin, of those that are ready
/// always the first. Tiles of A and B go out when all of their message are made, tiles of C when they are
/// finished, those of tensors when their step may begin, behind the last addition. A step is over on a rank
/// when its blocks and tasks have ended and its messages were sent.
class Flow {
 public:
  /// A tile of A or B is there.
  using Made = std::function<void(TileRef)>;

  /// References must outlive this object. Results are numbered behind the rank's transfers and sums. Where
  /// cores do not multiply, those that are free share long tasks.
  Flow(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction, Rank rank,
       Backend& backend, Operations& operations, Cores& cores, SendQueue& sends, Made made,
       bool cores_multiply);

  /// Sends one of the rank's transfers as soon as its tiles are there.
  void send_when_made(const Message& message);
  /// Tasks that wait for nothing are ready.
  void start();
  /// Starts tasks of steps that may begin while cores are free. `everywhere`: first step that is open on any
  /// rank.
  void advance(Step everywhere);
  /// The tile of C is finished, and on this rank.
  void computed(TileId tile);
  /// A tile of C or of a tensor came.
  void received(const Message& message);
  void done(const TaskOperation& operation, const TraceEvent& event, RankStatistics& statistics);
  void block_ended(Step step) { --left_[step]; }
  /// A tile of C is finished that a sum of this rank ends with.
  void sum_ended(TileId tile) { --left_[frame_.step_of(tile)]; }
  /// A message was sent; does nothing unless it is of tiles of this rank.
  void sent(Rank owner, int number);
  /// A message of another rank came, and goes on to so many.
  void forwards(Step step, int count) { left_[step] += count; }
  /// To one of them it was sent.
  void forwarded(Step step) { --left_[step]; }

  /// The first step that is not over on this rank; kEver when all are.
  Step first_open();
  /// Calls visit(tile) for the tiles of A and B that this rank makes for a step.
  template <class Visit>
  void for_each_generated(Step step, const Visit& visit) const {
    for (auto task = std::ranges::lower_bound(flow_.tasks, step, {}, &FlowTask::step);
         task != flow_.tasks.end() && task->step == step; ++task) {
      if (task->makes_operand()) visit(task->writes);
    }
  }

  /// Whether a task has still to make the tile.
  bool waits_for(TileRef tile) const { return !unmade_.empty() && unmade_.contains(tile); }
  bool finished() const { return over_ == left_.size(); }
  /// Some task waits for a core.
  bool waits_for_core() const { return waits_for_core_; }

 private:
  using TaskNumber = std::int32_t;

  /// A tile of a tensor that comes for a step.
  using Arrival = std::pair<TileId, Step>;

  void list_tasks();
  void list_results(int first_number);
  void satisfied(TaskNumber task);
  void made(TileRef tile);
  /// Whether a task of so many bytes may be started now: at a free core, or behind the tasks of others.
  bool has_room(std::int64_t bytes) const;
  /// That may share a task which is the only one that may start now.
  int free_cores_for(const FlowTask& task, std::int64_t bytes) const;

  const PlanFrame& frame_;
  const Contraction& problem_;
  const RankFlow& flow_;
  Backend& backend_;
  Operations& operations_;
  Cores& cores_;
  SendQueue& sends_;
  Made made_;
  std::vector<std::uint8_t> waits_;                        // of each task, for so many things
  std::vector<std::pair<TaskNumber, TaskNumber>> behind_;  // task, and one behind it; sorted
  std::vector<std::pair<TileId, TaskNumber>> readers_;     // tile of C, and a task that reads it; sorted
  std::vector<std::pair<Arrival, TaskNumber>> awaiting_;   // and a task that reads it; sorted
  std::priority_queue<TaskNumber, std::vector<TaskNumber>, std::greater<>> ready_;
  struct Held {
    Message message;
    std::size_t missing = 0;  // tiles
  };
  std::vector<Held> transfers_;
  tsl::robin_map<TileRef, std::vector<std::size_t>, TileRefHash> transfers_of_;  // that wait for a tile
  tsl::robin_set<TileRef, TileRefHash> unmade_;
  std::vector<std::pair<TileId, Message>> results_;             // of C, sorted by tile
  std::vector<std::pair<TaskNumber, Message>> results_behind_;  // of tensors: behind a task; sorted by that
  std::vector<Message> results_ready_;                          // a heap: the first step is in front
  const RankPlan& plan_;
  Rank rank_;
  std::vector<std::int64_t> left_;  // of each step: blocks, tasks and messages
  std::size_t over_ = 0;            // steps, from the first
  bool waits_for_core_ = false;
  bool cores_multiply_ = false;  // else tasks have all of them
  int running_ = 0;              // tasks that were given a core
  int waiting_ = 0;              // those given to the back end beyond
};

}  // namespace foretile
