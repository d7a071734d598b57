// SPDX-License-Identifier: BSD-3-Clause
// Traces for https://ui.perfetto.dev and chrome://tracing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/id.hpp"
#include "scheduler/report/trace_lanes.hpp"
#include "scheduler/report/trace_subject.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// Streams the Trace Event Format ("ph": "X" events, times in microseconds; "Trace Event Format", Google,
/// 2016, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU) into a file that
/// appears when all is written. A process is a rank, a thread one of its lanes. Memory does not grow with the
/// number of events.
class ChromeTrace final : public TraceSink {
 public:
  /// Throws InputError when the folder is missing or not writable.
  explicit ChromeTrace(const std::filesystem::path& path);

  /// Events of one rank must come by increasing end.
  void record(const TraceEvent& event) override;

  /// Ends the file, with what it is a trace of. Throws WorkError when not all could be written. Without it no
  /// file appears.
  void finish(const TraceSubject& subject);

  std::int64_t events() const { return events_; }

 private:
  int thread_of(const TraceEvent& event);
  void name_thread(const TraceLane& lane, int thread);
  void name_process(Rank rank);
  void write(const char* text, std::size_t length);

  AtomicFile file_;
  TraceLanes lanes_;
  std::set<std::pair<Rank, int>> named_threads_;
  std::vector<bool> named_;  // ranks
  std::int64_t events_ = 0;
};

}  // namespace foretile
