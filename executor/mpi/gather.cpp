#include "executor/mpi/gather.hpp"

#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <type_traits>

#include "base/error.hpp"
#include "executor/mpi/post.hpp"

namespace foretile {

namespace {

/// Arrays of plain records, concatenated in rank order; `counts` receives how many each rank had.
template <class Record>
std::vector<Record> gather(const std::vector<Record>& mine, MPI_Comm communicator, std::vector<int>& counts) {
  static_assert(std::is_trivially_copyable_v<Record>);
  int rank = 0;
  int size = 1;
  require_mpi(MPI_Comm_rank(communicator, &rank), "gather");
  require_mpi(MPI_Comm_size(communicator, &size), "gather");
  const int count = static_cast<int>(mine.size());
  counts.assign(rank == 0 ? size : 0, 0);
  require_mpi(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, communicator), "gather");

  MPI_Datatype record = MPI_DATATYPE_NULL;
  require_mpi(MPI_Type_contiguous(static_cast<int>(sizeof(Record)), MPI_BYTE, &record), "gather");
  require_mpi(MPI_Type_commit(&record), "gather");
  std::vector<int> offsets(counts.size(), 0);
  if (!counts.empty()) std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  std::vector<Record> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  require_mpi(MPI_Gatherv(mine.data(), count, record, all.data(), counts.data(), offsets.data(), record, 0,
                          communicator),
              "gather");
  require_mpi(MPI_Type_free(&record), "gather");
  return all;
}

}  // namespace

std::vector<RankStatistics> gather_statistics(const RankStatistics& mine, MPI_Comm communicator) {
  struct Fixed {
    std::int64_t generated_tiles, generated_bytes, sent_bytes, received_bytes;
    double generate_s, send_s, finish_s;
    Path critical;
  };
  std::vector<int> counts;
  const auto fixed =
      gather<Fixed>({{mine.generated_tiles, mine.generated_bytes, mine.sent_bytes, mine.received_bytes,
                      mine.generate_s, mine.send_s, mine.finish_s, mine.critical}},
                    communicator, counts);
  const auto devices = gather(mine.devices, communicator, counts);
  std::vector<RankStatistics> all(fixed.size());
  auto next = devices.begin();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const Fixed& f = fixed[rank];
    all[rank] = {{next, next + counts[rank]},
                 f.generated_tiles,
                 f.generated_bytes,
                 f.generate_s,
                 f.sent_bytes,
                 f.received_bytes,
                 f.send_s,
                 f.finish_s,
                 f.critical};
    next += counts[rank];
  }
  return all;
}

std::vector<TraceEvent> gather_events(const std::vector<TraceEvent>& mine, MPI_Comm communicator) {
  std::vector<int> counts;
  return gather(mine, communicator, counts);
}

std::vector<std::string> gather_texts(const std::string& mine, MPI_Comm communicator) {
  int size = 1;
  require_mpi(MPI_Comm_size(communicator, &size), "gather");
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(size);
  require_mpi(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, communicator), "gather");
  std::vector<int> offsets(size, 0);
  std::partial_sum(lengths.begin(), lengths.end() - 1, offsets.begin() + 1);
  std::string all(static_cast<std::size_t>(offsets.back()) + lengths.back(), '\0');
  require_mpi(MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                             MPI_CHAR, communicator),
              "gather");
  std::vector<std::string> texts;
  for (int rank = 0; rank < size; ++rank) texts.push_back(all.substr(offsets[rank], lengths[rank]));
  return texts;
}

}  // namespace foretile
