// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All operations of a run, in the form in which a report holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "scheduler/report/trace_lanes.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// One operation. Times are ticks from the start of the run.
struct TimelineOperation {
  std::int64_t start = 0, end = 0;
  Cause cause = Cause::kernel;
  std::int32_t i = -1, j = -1, k = -1;  ///< TraceEvent
  std::int32_t products = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const TimelineOperation&, const TimelineOperation&) = default;
};

/// Operations of one lane that follow each other, encoded column by column: of all of them the gaps to the
/// operation before (LEB128), the durations (LEB128), the causes (LEB128), then i, j, k, products and bytes
/// as differences to the operation before, the first to 0 (zigzag LEB128).
struct TimelineBlock {
  std::int64_t first = 0, last = 0;  ///< start of its first, end of its last operation
  std::int32_t operations = 0;
  std::vector<std::byte> bytes = {};
};

/// The operations of a block.
std::vector<TimelineOperation> decoded(const TimelineBlock& block);

/// One lane of the run.
struct TimelineLane {
  TraceLane lane;
  std::vector<TimelineBlock> blocks;
};

/// Memory of a device in use, from a time on until the next level.
struct MemoryLevel {
  std::int64_t from = 0;  ///< ticks
  std::int64_t bytes = 0;
};

/// Operations by lane, some six bytes each, and levels of memory.
class Timeline final : public TraceSink {
 public:
  /// Ticks are the power of ten of seconds, 1 ns at least, of which `expected_s` has 10^8 to 10^9.
  explicit Timeline(double expected_s);

  /// Operations of one rank must come by increasing end.
  void record(const TraceEvent& event) override;
  /// Ends the last blocks: to be called behind the last operation.
  void finish();

  double tick_s() const { return tick_s_; }
  std::int64_t operations() const { return operations_; }
  /// End of the last operation, in ticks.
  std::int64_t end() const { return end_; }
  /// In order: by rank, device, kind and copy.
  std::vector<const TimelineLane*> lanes() const;
  /// Of each device, by rank and device: its memory in use, by time.
  std::vector<std::vector<MemoryLevel>> memory_levels() const;

 private:
  struct Growing {
    TimelineLane done;
    std::vector<TimelineOperation> open = {};  ///< of the next block
  };
  static void close_block(Growing& lane);

  double tick_s_;
  TraceLanes chooser_;
  std::map<TraceLane, Growing> lanes_;
  std::map<std::pair<Rank, MemoryPlace>, std::vector<MemoryLevel>> levels_;  ///< in order of their ends
  std::int64_t operations_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace foretile
