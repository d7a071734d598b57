// SPDX-License-Identifier: BSD-3-Clause
// Bringing what the ranks know to rank 0.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "planner/plan/assignment.hpp"
#include "scheduler/statistics.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// The ranks' numbers of records as MPI takes them. Throws WorkError, naming `what`, for more than 2^31 - 1
/// in all; the functions below do so on every rank.
std::vector<int> mpi_counts(const std::vector<std::int64_t>& counts, const char* what);

/// Statistics of all ranks in order, on rank 0; empty elsewhere. Collective.
std::vector<RankStatistics> gather_statistics(const RankStatistics& mine, MPI_Comm communicator);

/// Keeps events until the run is over.
class EventStore final : public TraceSink {
 public:
  void record(const TraceEvent& event) override { events.push_back(event); }
  std::vector<TraceEvent> events;
};

/// Events of all ranks, rank after rank, on rank 0; empty elsewhere. Collective.
std::vector<TraceEvent> gather_events(const std::vector<TraceEvent>& mine, MPI_Comm communicator);

/// Of the first `ranks` ranks in order, on every rank. Collective.
std::vector<RankAssignment> gather_assignments(const RankAssignment& mine, int ranks, MPI_Comm communicator);

/// The texts of all ranks in order, on every rank. Collective.
std::vector<std::string> gather_texts(const std::string& mine, MPI_Comm communicator);

}  // namespace foretile
