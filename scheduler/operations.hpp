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
  TraceEvent event;                   ///< end_s and software_s are filled in when it is done
  Path path;                          ///< until its start
  ChunkWork* chunk = nullptr;         ///< of a kernel
  std::vector<std::int32_t> c_slots;  ///< of a kernel, one per product
  int owner = 0, number = 0;          ///< of the broadcast that is sent
  std::vector<Item*> items;           ///< that arrive (copies) or are staged (generation)
  Copy
      copy;  ///< of generation on cores: `to` is the device that will load the tiles, the rest has no meaning
};

/// Hands out ids and keeps the path to the event being handled. An operation's path is that of the event in
/// whose handling it starts.
///
/// An operation's own time counts as Part::work when the next one on the path waited for the same resource,
/// and as Part::piece when it waited for the result: more of the resource would not have helped then.
class Operations {
 public:
  /// `kernels_on_cores`: kernels and generation wait for the same cores.
  Operations(Backend& backend, int rank, bool kernels_on_cores, TraceSink* sink)
      : backend_(&backend), sink_(sink), rank_(rank), kernels_on_cores_(kernels_on_cores) {}

  /// A new operation that starts now.
  Operation& start(Cause cause, MemoryPlace device, OperationId& id);
  /// Ends an operation: the current path becomes its path plus its own time. The result is valid until the
  /// next start, which may use the same record.
  Operation& end(OperationId id, const OperationTime& time = {});

  /// The path to the event being handled from here on, for events from outside.
  void set_path(const Path& path);
  /// The same, with the operation that ended last as a piece.
  Path path() const { return before_.plus(last_); }
  /// Time with at least one operation of this kind on this device (or kHost) in flight.
  double busy_seconds(Cause cause, MemoryPlace device) { return busy(cause, device).seconds(); }
  std::size_t in_flight() const { return operations_.size() - free_.size(); }

 private:
  /// Operations of equal resources wait for each other.
  struct Resource {
    Cause cause = Cause::wait;
    MemoryPlace device = kHost;
    friend bool operator==(const Resource&, const Resource&) = default;
  };

  /// Operations of which one device does one at a time, while others wait there: not busy meanwhile.
  bool in_turn(Cause cause) const { return cause == Cause::kernel && kernels_on_cores_; }
  BusyTime& busy(Cause cause, MemoryPlace device);
  Resource resource_of(Cause cause, MemoryPlace device) const;
  void extend_path(Path& path, const Resource& next) const;

  Backend* backend_;
  TraceSink* sink_;
  int rank_;
  bool kernels_on_cores_;
  Path before_;                       // up to the own time of the operation that ended last
  Piece last_;                        // that time
  Resource last_resource_;            // Cause::wait: none
  std::deque<Operation> operations_;  // references stay valid
  std::vector<OperationId> free_;
  std::vector<BusyTime> busy_;  // by device, kHost first, and cause
};

}  // namespace foretile
