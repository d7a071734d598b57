// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/mpi/measure_polling.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "base/threads.hpp"
#include "executor/calibration/measure.hpp"
#include "executor/calibration/probe.hpp"
#include "executor/cpu/worker_pool.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/messenger.hpp"
#include "executor/mpi/session.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "platforms/here.hpp"
#include "scheduler/polling.hpp"

namespace foretile {

namespace {

using Clock = std::chrono::steady_clock;

/// Between polls that find nothing: often enough to show beside the machine's own ups and downs.
constexpr double kPollInterval_s = 0.5e-3;
constexpr double kIdle_s = 10e-3;
constexpr int kPollingTag = 2;  // which the messenger of another rank does not take

/// Does its work until `over` is true, and returns how much of it.
using UntilOver = std::function<double(const std::function<bool()>& over)>;

/// Rounds before rank 0 asks for its budget again: between them all ranks measure at the same time.
constexpr int kRoundsAtOnce = 8;

/// How many rounds follow at once, the same on all ranks; one to begin with, to see what a round takes.
int rounds_at_once(int done, int all, const TimeBudget& budget, MPI_Comm communicator) {
  if (done == 0) return 1;
  quiet_barrier(communicator);
  const double fit =
      std::min(budget.left() / std::max(budget.elapsed(), 1e-9) * done, static_cast<double>(kRoundsAtOnce));
  return std::min(all - done, broadcast(static_cast<int>(fit), 0, communicator, "rounds"));
}

/// What rounds found, one figure each.
struct Rounds {
  std::vector<double> lost_s;  ///< of a core that products lose for a unit of work
  std::vector<double> unit_s;  ///< from one unit to the next
};

void add_rounds(Rounds& found, Probe& probe, double cores, const PollingOptions& options,
                const UntilOver& work, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const double alone = probe.flops_per_s(options.round_s);
    const auto start = Clock::now();
    std::packaged_task<double()> task([&] { return probe.flops_per_s(options.round_s); });
    std::future<double> rate = task.get_future();
    const std::jthread thread = start_thread(std::move(task));
    const double done =
        work([&] { return rate.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    const double took_s = std::chrono::duration<double>(Clock::now() - start).count();
    found.lost_s.push_back(lost_core_seconds(alone, rate.get(), cores, took_s, done));
    found.unit_s.push_back(took_s / std::max(1.0, done));
  }
}

/// Medians of a unit of work.
struct UnitSeconds {
  double lost_s = 0;
  double took_s = 0;
};

/// `cores`: this rank's share of its node's. Collective.
UnitSeconds unit_seconds(Probe& probe, double cores, const PollingOptions& options, const TimeBudget& budget,
                         MPI_Comm communicator, const UntilOver& work) {
  Rounds found;
  while (std::ssize(found.lost_s) < options.rounds) {
    const int done = static_cast<int>(found.lost_s.size());
    const int rounds = rounds_at_once(done, options.rounds, budget, communicator);
    if (rounds == 0) break;
    add_rounds(found, probe, cores, options, work, rounds);
  }
  return {std::max(0.0, summarize(found.lost_s).median), summarize(found.unit_s).median};
}

/// What the progress loop does, without a product that ends.
class Polls {
 public:
  Polls(MPI_Comm communicator, const Contraction& nothing)
      : communicator_(communicator), messenger_(communicator, nothing) {}

  double in_vain(const std::function<bool()>& over) {
    double polls = 0;
    for (; !over(); ++polls) {
      none_.take(kPollInterval_s);
      messenger_.progress({});
    }
    return polls;
  }

  /// For ranks whose cores shall only be busy.
  double nothing(const std::function<bool()>& over) {
    while (!over()) none_.take(kIdle_s);
    return 0;
  }

  /// One message in each direction.
  void exchange(int other, std::vector<std::byte>& from, std::vector<std::byte>& to) {
    const int count = static_cast<int>(from.size() / 8);
    std::array<MPI_Request, 2> requests{};
    require_mpi(MPI_Irecv(to.data(), count, MPI_INT64_T, other, kPollingTag, communicator_, &requests[0]),
                "receive");
    require_mpi(MPI_Isend(from.data(), count, MPI_INT64_T, other, kPollingTag, communicator_, &requests[1]),
                "send");
    const auto ended = [&] {
      int done = 0;
      require_mpi(MPI_Testall(2, requests.data(), &done, MPI_STATUSES_IGNORE), "exchange");
      return done != 0;
    };
    while (!poll_while_pieces_move(ended, [] { return true; })) none_.take(kMovingPollInterval_s);
  }

 private:
  MPI_Comm communicator_;
  Messenger messenger_;
  Completions none_;
};

/// Messages in turn, as a run's tiles are.
class Messages {
 public:
  explicit Messages(std::int64_t bytes)
      : from_(kNumber, std::vector<std::byte>(static_cast<std::size_t>(bytes))), to_(from_) {}

  /// Bytes sent and received until both ends are over, which each says in the first byte of its messages.
  double exchange(Polls& polls, int other, const std::function<bool()>& over) {
    double bytes = 0;
    for (std::size_t i = 0;; i = (i + 1) % kNumber) {
      const bool mine = over();
      from_[i][0] = std::byte{mine};
      polls.exchange(other, from_[i], to_[i]);
      bytes += 2 * static_cast<double>(from_[i].size());
      if (mine && to_[i][0] == std::byte{1}) return bytes;
    }
  }

 private:
  static constexpr std::size_t kNumber = 8;
  std::vector<std::vector<std::byte>> from_, to_;
};

double sum_over(MPI_Comm communicator, double value) {
  return all_reduced(value, MPI_SUM, communicator, "figure");
}

}  // namespace

double lost_core_seconds(double alone, double beside, double cores, double seconds, double done) {
  return (1 - beside / alone) * cores * seconds / std::max(1.0, done);
}

PollingFigures measure_polling(MPI_Comm communicator, const PollingOptions& options,
                               const TimeBudget& budget) {
  const RankOnNode place = place_on_node(communicator);
  const Rank rank = rank_in(communicator);
  const int ranks = size_of(communicator);
  const int all = machine_facts().cores;
  const double cores = static_cast<double>(all) / place.ranks;
  Probe probe(std::max(1, all / place.ranks + (place.number < all % place.ranks ? 1 : 0)), options.products);
  DenseParameters problem;
  problem.m = problem.n = problem.k = problem.tile = 1;
  const Contraction nothing = dense_contraction(problem);
  Polls polls(communicator, nothing);
  const auto measure = [&](const TimeBudget& part, const UntilOver& work) {
    quiet_barrier(communicator);
    return unit_seconds(probe, cores, options, part, communicator, work);
  };
  // Per byte, between ranks 0 and 1; the cores of other ranks are busy meanwhile.
  const auto measure_messages = [&](const TimeBudget& part, std::int64_t bytes) {
    Messages messages(rank < 2 ? bytes : 0);
    const UnitSeconds found = measure(part, [&](const auto& over) {
      return rank < 2 ? messages.exchange(polls, 1 - rank, over) : polls.nothing(over);
    });
    const auto mean = [&](double seconds) { return sum_over(communicator, rank < 2 ? seconds : 0) / 2; };
    return UnitSeconds{mean(found.lost_s), mean(found.took_s)};
  };

  PollingFigures figures;
  const UnitSeconds poll =
      measure(budget.part(1, ranks > 1 ? 3 : 1), [&](const auto& over) { return polls.in_vain(over); });
  figures.poll_s = sum_over(communicator, poll.lost_s) / ranks;
  if (ranks == 1) return figures;
  const UnitSeconds byte = measure_messages(budget.part(1, 2), options.message_bytes);
  figures.copy_bytes_per_s = byte.lost_s > 0 ? 1 / byte.lost_s : 0;
  const UnitSeconds short_byte = measure_messages(budget.part(1, 1), options.short_bytes);
  figures.polling_delay_s = 2 * static_cast<double>(options.short_bytes) * short_byte.took_s;
  return figures;
}

}  // namespace foretile
