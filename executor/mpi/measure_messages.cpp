#include "executor/mpi/measure_messages.hpp"

#include <algorithm>
#include <vector>

#include "executor/mpi/post.hpp"

namespace foretile {

namespace {

/// Median time of one way, in seconds.
double one_way(MPI_Comm communicator, int rank, std::vector<double>& words, int turns) {
  std::vector<double> seconds;
  const int count = static_cast<int>(words.size());
  for (int turn = 0; turn < turns; ++turn) {
    const double start = MPI_Wtime();
    if (rank == 0) {
      require_mpi(MPI_Send(words.data(), count, MPI_DOUBLE, 1, 0, communicator), "ping");
      require_mpi(MPI_Recv(words.data(), count, MPI_DOUBLE, 1, 0, communicator, MPI_STATUS_IGNORE), "pong");
    } else if (rank == 1) {
      require_mpi(MPI_Recv(words.data(), count, MPI_DOUBLE, 0, 0, communicator, MPI_STATUS_IGNORE), "ping");
      require_mpi(MPI_Send(words.data(), count, MPI_DOUBLE, 0, 0, communicator), "pong");
    }
    seconds.push_back((MPI_Wtime() - start) / 2);
  }
  std::nth_element(seconds.begin(), seconds.begin() + turns / 2, seconds.end());
  return seconds[turns / 2];
}

}  // namespace

LinkModel measure_messages(MPI_Comm communicator) {
  int rank = 0;
  require_mpi(MPI_Comm_rank(communicator, &rank), "rank");
  std::vector<double> small(1);
  std::vector<double> large(2'000'000);
  one_way(communicator, rank, large, 2);  // the first touches memory and sets up the path
  LinkModel link;
  link.latency_s = one_way(communicator, rank, small, 1000);
  link.bandwidth_bytes_per_s =
      8.0 * static_cast<double>(large.size()) / one_way(communicator, rank, large, 15);
  return link;
}

}  // namespace foretile
