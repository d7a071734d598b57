// SPDX-License-Identifier: BSD-3-Clause
// Traces for https://ui.perfetto.dev and chrome://tracing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <tuple>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/id.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// Streams the Trace Event Format ("ph": "X" events, times in microseconds; "Trace Event Format", Google,
/// 2016, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU) into a file that
/// appears when all is written. A process is a rank. Its threads are the lanes: generation, messages, and of
/// each device kernels, loads and stores; what overlaps in a lane gets further threads. Memory does not grow
/// with the number of events.
class ChromeTrace final : public TraceSink {
 public:
  /// Throws InputError when the folder is missing or not writable.
  explicit ChromeTrace(const std::filesystem::path& path);

  /// Events of one rank must come by increasing end.
  void record(const TraceEvent& event) override;

  /// Ends the file. Throws WorkError when not all could be written. Without it no file appears.
  void finish();

  std::int64_t events() const { return events_; }

 private:
  enum class Kind : std::uint8_t { generation, messages, kernels, loads, stores, additions };
  struct LaneKey {
    Rank rank;
    MemoryPlace device;
    Kind kind;
    bool operator<(const LaneKey& o) const {
      return std::tie(rank, device, kind) < std::tie(o.rank, o.device, o.kind);
    }
  };
  /// End of the last event of each of its threads.
  using Lane = std::vector<double>;

  static LaneKey lane_of(const TraceEvent& event);
  int thread_of(const TraceEvent& event);
  void name_thread(const LaneKey& key, std::size_t copy, int thread);
  void name_process(Rank rank);
  void write(const char* text, std::size_t length);

  AtomicFile file_;
  std::map<LaneKey, Lane> lanes_;
  std::vector<bool> named_;  // ranks
  std::int64_t events_ = 0;
};

}  // namespace foretile
