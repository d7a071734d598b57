// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/gather.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <type_traits>

#include "base/error.hpp"
#include "executor/mpi/communicator.hpp"

namespace foretile {

namespace {

/// How many each rank brings, on every rank. Throws WorkError on all of them when MPI cannot count them.
std::vector<int> counts_of_all(std::size_t mine, const char* what, MPI_Comm communicator) {
  const auto count = static_cast<std::int64_t>(mine);
  std::vector<std::int64_t> all(size_of(communicator));
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(MPI_Iallgather(&count, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, communicator, &request),
              "gather");
  wait_quietly(request, "gather");
  return mpi_counts(all, what);
}

/// Where each rank's part begins.
std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  return offsets;
}

/// Arrays of plain records, concatenated in rank order, on rank 0; `counts` receives how many each rank had.
template <class Record>
std::vector<Record> gather(const std::vector<Record>& mine, const char* what, MPI_Comm communicator,
                           std::vector<int>& counts) {
  static_assert(std::is_trivially_copyable_v<Record>);
  const Rank rank = rank_in(communicator);
  counts = counts_of_all(mine.size(), what, communicator);
  MPI_Datatype record = MPI_DATATYPE_NULL;
  require_mpi(MPI_Type_contiguous(static_cast<int>(sizeof(Record)), MPI_BYTE, &record), "gather");
  require_mpi(MPI_Type_commit(&record), "gather");
  const std::vector<int> offsets = offsets_of(counts);
  std::vector<Record> all(rank == 0 ? std::accumulate(counts.begin(), counts.end(), std::size_t{0}) : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(MPI_Igatherv(mine.data(), static_cast<int>(mine.size()), record, all.data(), counts.data(),
                           offsets.data(), record, 0, communicator, &request),
              "gather");
  wait_while_moving(request, "gather");
  require_mpi(MPI_Type_free(&record), "gather");
  return all;
}

}  // namespace

std::vector<int> mpi_counts(const std::vector<std::int64_t>& counts, const char* what) {
  const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (all > kMost)
    throw WorkError(fmt::format("{} {} of all ranks: MPI gathers at most {}", all, what, kMost));
  return {counts.begin(), counts.end()};
}

std::vector<RankStatistics> gather_statistics(const RankStatistics& mine, MPI_Comm communicator) {
  std::vector<int> counts;
  const RankCounts& own = mine;
  const std::vector<RankCounts> of_ranks = gather<RankCounts>({own}, "statistics", communicator, counts);
  const auto devices = gather(mine.devices, "statistics of devices", communicator, counts);
  std::vector<RankStatistics> all(of_ranks.size());
  auto next = devices.begin();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    all[rank] = {of_ranks[rank], {next, next + counts[rank]}};
    next += counts[rank];
  }
  return all;
}

std::vector<TraceEvent> gather_events(const std::vector<TraceEvent>& mine, MPI_Comm communicator) {
  std::vector<int> counts;
  return gather(mine, "events of the trace", communicator, counts);
}

std::vector<RankAssignment> gather_assignments(const RankAssignment& mine, int ranks, MPI_Comm communicator) {
  std::vector<RankAssignment> all;
  for (const std::string& text : gather_texts(nlohmann::json(mine).dump(), communicator)) {
    if (std::ssize(all) < ranks) all.push_back(nlohmann::json::parse(text).get<RankAssignment>());
  }
  return all;
}

std::vector<std::string> gather_texts(const std::string& mine, MPI_Comm communicator) {
  const std::vector<int> lengths = counts_of_all(mine.size(), "bytes of text", communicator);
  const std::vector<int> offsets = offsets_of(lengths);
  std::string all(static_cast<std::size_t>(offsets.back()) + static_cast<std::size_t>(lengths.back()), '\0');
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(MPI_Iallgatherv(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, all.data(),
                              lengths.data(), offsets.data(), MPI_CHAR, communicator, &request),
              "gather");
  wait_while_moving(request, "gather");
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(lengths[rank])));
  return texts;
}

}  // namespace foretile
