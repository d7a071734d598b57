// The operations in flight of one rank, and the bookkeeping that is the same for all kinds.
#pragma once

#include <deque>
#include <vector>

#include "scheduler/backend.hpp"
#include "scheduler/busy_time.hpp"
#include "scheduler/chunk_work.hpp"
#include "scheduler/path.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

struct Operation {
  TraceEvent event;                   ///< end_s and duration are filled in when it is done
  Path path;                          ///< until its start
  ChunkWork* chunk = nullptr;         ///< of a kernel
  std::vector<std::int32_t> c_slots;  ///< of a kernel, one per product
  int owner = 0, number = 0;          ///< of the broadcast that is sent
  std::vector<Item*> items;           ///< that arrive (copies) or are staged (generation)
  Copy copy;
};

/// Hands out ids and keeps the path to the event being handled. An operation's path is that of the event in
/// whose handling it starts.
class Operations {
 public:
  Operations(Backend& backend, int rank, TraceSink* sink) : backend_(&backend), sink_(sink), rank_(rank) {}

  /// A new operation that starts now.
  Operation& start(Cause cause, MemoryPlace device, OperationId& id);
  /// Ends an operation: the current path becomes its path plus its own time. The result is valid until the
  /// next start, which may use the same record.
  Operation& end(OperationId id);

  /// The path to the event being handled from here on, for events from outside.
  void set_path(const Path& path) { current_ = path; }
  const Path& path() const { return current_; }
  /// Time with at least one operation of this kind on this device (or kHost) in flight.
  double busy_seconds(Cause cause, MemoryPlace device) { return busy(cause, device).seconds(); }
  std::size_t in_flight() const { return operations_.size() - free_.size(); }

 private:
  BusyTime& busy(Cause cause, MemoryPlace device);

  Backend* backend_;
  TraceSink* sink_;
  int rank_;
  Path current_;
  std::deque<Operation> operations_;  // references stay valid
  std::vector<OperationId> free_;
  std::vector<BusyTime> busy_;  // by device, kHost first, and cause
};

}  // namespace foretile
