// SPDX-License-Identifier: BSD-3-Clause
// What all back ends of the executor have in common: the clock, messages, and work in host memory.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "executor/backends/host_store.hpp"
#include "executor/cpu/worker_pool.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/rank_scheduler.hpp"

namespace foretile {

/// Where messages of the rank go.
struct Transport {
  std::function<void(OperationId, Rank to_rank, const Message&)> send;
  std::function<void(Rank to_rank, const Signal&)> signal;
};

/// For the scheduler: what has ended, and when.
struct EndedOperation {
  OperationId id = 0;
  OperationTime time;
};

/// Generates tiles, adds parts of C and runs the tasks of a flow on cores, in host memory; what devices do is
/// left to those who inherit. All calls come from the progress loop's thread; the workers see only pointers,
/// which stay valid until their operation is done.
class RankBackend : public Backend {
 public:
  /// Who hears of finished tiles of C; before the clock starts.
  void on_finished(std::function<void(TileId)> listener) { finished_ = std::move(listener); }
  void finished(TileId tile) final {
    if (finished_) finished_(tile);
  }

  /// The clock starts now.
  virtual void start_clock() { start_ = Completions::Clock::now(); }
  double now() const final { return at(Completions::Clock::now()); }
  /// Operations ended since the last call; waits up to `seconds` for the first. Throws what their work threw.
  /// Valid until the next call.
  virtual std::span<const EndedOperation> ended(double seconds) = 0;

  void start_generate(OperationId id, std::span<const GeneratedPart> parts) final;
  void start_combine(OperationId id, const Combine& combine) final;
  void start_task(OperationId id, std::int32_t number, const FlowTask& task, int cores) final;
  void start_send(OperationId id, Rank to_rank, const Message& message) final;
  void send_signal(Rank to_rank, Signal signal) final;
  void release_host(TileRef tile) final;
  void release_message(Rank owner, int number) final;
  void release_parts(std::span<const TileId> tiles, Device computed_by) final;
  void keep_parts(std::span<const TileId> tiles, Device computed_by) final;
  void release_step(Step step) final;

 protected:
  /// `cpus`: one for each core, or none, as WorkerPool has it.
  RankBackend(const Contraction& contraction, HostStore& host, int cores, Transport transport,
              std::vector<int> cpus = {});

  double at(Completions::Clock::time_point time) const;  ///< seconds since the start
  /// Puts what threads have ended into `ended_now_`. Waits up to `seconds` for the first.
  void take_completions(double seconds);

  const Contraction& problem_;
  HostStore& host_;
  Completions completions_;
  std::vector<EndedOperation> ended_now_;  // by the last call of ended()
  std::int64_t host_work_ = 0;             // operations of this class, since the start

 private:
  void submit(OperationId id, std::function<void()> job);

  std::function<void(TileId)> finished_;
  Transport transport_;
  Completions::Clock::time_point start_ = Completions::Clock::now();

 protected:
  WorkerPool cores_;  // last: its threads end first
};

}  // namespace foretile
