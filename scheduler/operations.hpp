// SPDX-License-Identifier: BSD-3-Clause
// The operations in flight of one rank, and the bookkeeping that is the same for all kinds.
#pragma once

#include <array>
#include <deque>
#include <variant>
#include <vector>

#include "scheduler/backend.hpp"
#include "scheduler/chunk_work.hpp"
#include "scheduler/options.hpp"
#include "scheduler/path.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// How long a resource works, however many operations it has at a time: the union of the intervals between
/// begin() and end(). Times in seconds, not decreasing.
class BusyTime {
 public:
  void begin(double now_s) {
    if (running_++ == 0) since_s_ = now_s;
  }
  void end(double now_s) {
    if (--running_ == 0) seconds_ += now_s - since_s_;
  }
  /// An interval that ended, later than those before it. What it has in common with these counts once.
  void add(double from_s, double to_s) {
    seconds_ += std::max(0.0, to_s - std::max(from_s, since_s_));
    since_s_ = to_s;
  }
  /// Of the intervals that have ended.
  double seconds() const { return seconds_; }

 private:
  int running_ = 0;
  double since_s_ = 0;
  double seconds_ = 0;
};

/// Products of one chunk, in one launch.
struct KernelOperation {
  ChunkWork* chunk = nullptr;
  std::vector<std::int32_t> c_slots;  ///< one per product
  double flops = 0;
};

/// Tiles of B that a core makes in host memory, or a part of one.
struct GenerateOperation {
  std::vector<Item*> items;  ///< staged when it is done; of a part, when all parts are
  Device device = 0;         ///< which will load them
};

/// Tiles that arrive on a device: from the host, from another device, or made there.
struct LoadOperation {
  Copy copy;
  std::vector<Item*> items;  ///< of copy.tiles
};

/// Tiles of C on their way to the host.
struct StoreOperation {
  Copy copy;
};

/// A message to one rank.
struct SendOperation {
  Rank owner = 0;  ///< of the transfer
  int number = 0;  ///< of the transfer among its owner's
  Rank to = 0;
};

/// An addition of a sum.
struct CombineOperation {
  std::size_t sum = 0;  ///< of RankPlan::sums
  Combine combine;
};

/// A task of a flow.
struct TaskOperation {
  std::int32_t task = 0;  ///< of RankFlow::tasks
  int cores = 1;          ///< that share it
};

using AnyOperation = std::variant<KernelOperation, GenerateOperation, LoadOperation, StoreOperation,
                                  SendOperation, CombineOperation, TaskOperation>;

/// In flight. It starts only when all that it needs is there, so it waits for nothing.
struct Operation {
  TraceEvent event;  ///< end_s and software_s are filled in when it is done
  Path path;         ///< until its start
  AnyOperation work;
};

/// `event` and `work` are to be filled in; valid until the operation is done.
template <class Work>
struct Started {
  OperationId id;
  TraceEvent& event;
  Work& work;  ///< its lists are empty, or still hold what an earlier operation left in them
};

/// Hands out ids and keeps the path to the event being handled. An operation's path is that of the event in
/// whose handling it starts.
///
/// An operation's own time counts as Part::work when the next one on the path waited for the same resource,
/// and as Part::latency_bound when it waited for the result: more of the resource would not have helped then.
class Operations {
 public:
  /// `options` must outlive this. Kernels of a device that is a core wait for the cores of generation.
  Operations(Backend& backend, Rank rank, const SchedulerOptions& options, TraceSink* sink)
      : backend_(&backend), options_(&options), sink_(sink), rank_(rank) {}

  /// A new operation that starts now.
  template <class Work>
  Started<Work> start(Cause cause, MemoryPlace device) {
    std::vector<OperationId>& free = free_[AnyOperation(Work{}).index()];
    if (free.empty()) {
      free.push_back(static_cast<OperationId>(operations_.size()));
      operations_.emplace_back().work.emplace<Work>();
    }
    const OperationId id = free.back();
    free.pop_back();
    Operation& operation = operations_[id];
    begin(operation, cause, device);
    return {id, operation.event, std::get<Work>(operation.work)};
  }
  /// Ends an operation: the current path becomes its path plus its own time. The result is valid until the
  /// next start, which may use the same record.
  Operation& end(OperationId id, const OperationTime& time = {});

  /// The path to the event being handled from here on, for events from outside.
  void set_path(const Path& path);
  /// The same, with the operation that ended last as latency-bound.
  Path path() const { return before_.plus(last_); }
  /// Time with at least one operation of this kind on this device (or kHost) in flight.
  double busy_seconds(Cause cause, MemoryPlace device) { return busy(cause, device).seconds(); }
  std::size_t in_flight() const { return in_flight_; }

 private:
  /// Operations of equal resources wait for each other.
  struct Resource {
    Cause cause = Cause::wait;
    MemoryPlace device = kHost;
    friend bool operator==(const Resource&, const Resource&) = default;
  };

  void begin(Operation& operation, Cause cause, MemoryPlace device);
  /// Operations of which one device does one at a time, while others wait there: not busy meanwhile.
  bool is_fifo(Cause cause, MemoryPlace device) const {
    return cause == Cause::kernel && options_->traits(static_cast<std::size_t>(device)).cores > 0;
  }
  BusyTime& busy(Cause cause, MemoryPlace device);
  Resource resource_of(Cause cause, MemoryPlace device) const;
  void extend_path(Path& path, const Resource& next) const;

  Backend* backend_;
  const SchedulerOptions* options_;
  TraceSink* sink_;
  Rank rank_;
  Path before_;                       // up to the own time of the operation that ended last
  PathOperation last_;                // that time
  Resource last_resource_;            // Cause::wait: none
  std::deque<Operation> operations_;  // references stay valid
  // By kind of work: a record is used again for its kind, so that its lists keep their memory.
  std::array<std::vector<OperationId>, std::variant_size_v<AnyOperation>> free_;
  std::size_t in_flight_ = 0;
  std::vector<BusyTime> busy_;  // by device, kHost first, and cause
};

}  // namespace foretile
