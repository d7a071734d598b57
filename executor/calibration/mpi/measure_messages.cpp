// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/mpi/measure_messages.hpp"

#include <algorithm>

#include "executor/calibration/measure.hpp"
#include "executor/calibration/measure_gpu.hpp"
#include "executor/mpi/communicator.hpp"

namespace foretile {

namespace {

/// Two ranks that throw a message to each other; the others look on.
class PingPong {
 public:
  PingPong(MPI_Comm communicator, std::int64_t largest)
      : communicator_(communicator),
        rank_(rank_in(communicator)),
        memory_(static_cast<std::size_t>(largest)) {}

  /// Seconds of one way, from each turn.
  std::vector<double> times(std::int64_t bytes, int turns) {
    std::vector<double> seconds;
    for (int turn = 0; turn < turns; ++turn) {
      const double start = MPI_Wtime();
      if (rank_ <= 1) one_turn(static_cast<int>(bytes));
      seconds.push_back((MPI_Wtime() - start) / 2);
    }
    return seconds;
  }

  /// As many turns as take about so long; rank 0 decides for both.
  int turns_within(std::int64_t bytes, double seconds, double most = 1000) {
    const std::vector<double> few = times(bytes, 3);
    const double one = 2 * std::max(*std::min_element(few.begin(), few.end()), 1e-9);
    return broadcast(static_cast<int>(std::clamp(seconds / one, 5.0, most)), 0, communicator_, "turns");
  }

 private:
  void one_turn(int bytes) {
    const int other = 1 - rank_;
    const auto send = [&] {
      require_mpi(MPI_Send(memory_.data(), bytes, MPI_BYTE, other, 0, communicator_), "ping");
    };
    if (rank_ == 0) send();
    require_mpi(MPI_Recv(memory_.data(), bytes, MPI_BYTE, other, 0, communicator_, MPI_STATUS_IGNORE),
                "pong");
    if (rank_ == 1) send();
  }

  MPI_Comm communicator_;
  Rank rank_ = 0;
  std::vector<std::byte> memory_;
};

}  // namespace

MessageFigures measure_messages(MPI_Comm communicator, const MessageOptions& options) {
  constexpr std::int64_t word = 8;
  constexpr std::int64_t large = 16'000'000;
  std::int64_t largest = large;
  for (const std::int64_t size : options.sizes) largest = std::max(largest, size);
  PingPong ping_pong(communicator, largest);
  ping_pong.times(large, 2);  // the first touches memory and sets up the path
  MessageFigures figures;
  figures.when = utc_now();
  figures.link.latency_s =
      summarize(ping_pong.times(word, ping_pong.turns_within(word, 5 * options.seconds_per_size))).median;
  figures.link.bandwidth_bytes_per_s =
      static_cast<double>(large) /
      summarize(ping_pong.times(large, ping_pong.turns_within(large, options.seconds_per_size, 15))).median;
  for (const std::int64_t size : options.sizes) {
    const bool enough = !figures.samples.empty() && options.budget.over();
    if (broadcast(enough ? 1 : 0, 0, communicator, "end of messages") != 0) break;
    const Summary time =
        summarize(ping_pong.times(size, ping_pong.turns_within(size, options.seconds_per_size)));
    figures.samples.push_back({size, time.median, time.spread / time.median});
  }
  return figures;
}

}  // namespace foretile
