// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/exchange.hpp"

#include <algorithm>

#include "executor/mpi/communicator.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 30;
constexpr int kExchangeTag = 1;

template <class Start>
void for_each_part(const ExchangedPiece& piece, const Start& start) {
  for (std::int64_t at = 0; at < piece.count; at += kMostElements)
    start(piece.data + at, static_cast<int>(std::min(kMostElements, piece.count - at)));
}

}  // namespace

void exchange(const std::vector<ExchangedPiece>& sent, const std::vector<ExchangedPiece>& received,
              MPI_Comm communicator) {
  std::vector<MPI_Request> requests;
  for (const ExchangedPiece& piece : received) {
    for_each_part(piece, [&](double* data, int count) {
      require_mpi(MPI_Irecv(data, count, MPI_DOUBLE, static_cast<int>(piece.other), kExchangeTag,
                            communicator, &requests.emplace_back()),
                  "receive of a block");
    });
  }
  for (const ExchangedPiece& piece : sent) {
    for_each_part(piece, [&](const double* data, int count) {
      require_mpi(MPI_Isend(data, count, MPI_DOUBLE, static_cast<int>(piece.other), kExchangeTag,
                            communicator, &requests.emplace_back()),
                  "send of a block");
    });
  }
  for (MPI_Request& request : requests) wait_while_moving(request, "exchange of blocks");
  quiet_barrier(communicator);
}

}  // namespace foretile
