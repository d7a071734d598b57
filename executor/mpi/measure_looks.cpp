// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/measure_looks.hpp"

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
#include "scheduler/looks.hpp"

namespace foretile {

namespace {

using Clock = std::chrono::steady_clock;

/// Between looks that find nothing: often enough to show beside the machine's own ups and downs.
constexpr double kLookInterval_s = 0.5e-3;
constexpr double kIdle_s = 10e-3;
constexpr int kLooksTag = 2;  // which the messenger of another rank does not take

/// Does its work until `over` is true, and returns how much of it.
using UntilOver = std::function<double(const std::function<bool()>& over)>;

/// Rounds before rank 0 looks at its budget again: between them all ranks measure at the same time.
constexpr int kRoundsAtOnce = 8;

/// How many rounds follow at once, the same on all ranks; one to begin with, to see what a round takes.
int rounds_at_once(int done, int all, const TimeBudget& budget, MPI_Comm communicator) {
  if (done == 0) return 1;
  quiet_barrier(communicator);
  const double fit =
      std::min(budget.left() / std::max(budget.elapsed(), 1e-9) * done, static_cast<double>(kRoundsAtOnce));
  return std::min(all - done, broadcast(static_cast<int>(fit), 0, communicator, "rounds"));
}

/// Of a core that products lose for a unit of work, one after the other.
void add_lost_seconds(std::vector<double>& seconds, Probe& probe, double cores, const LookOptions& options,
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
    seconds.push_back(lost_core_seconds(alone, rate.get(), cores, took_s, done));
  }
}

/// The median. `cores`: this rank's share of its node's. Collective.
double lost_seconds(Probe& probe, double cores, const LookOptions& options, const TimeBudget& budget,
                    MPI_Comm communicator, const UntilOver& work) {
  std::vector<double> seconds;
  while (std::ssize(seconds) < options.rounds) {
    const int done = static_cast<int>(seconds.size());
    const int rounds = rounds_at_once(done, options.rounds, budget, communicator);
    if (rounds == 0) break;
    add_lost_seconds(seconds, probe, cores, options, work, rounds);
  }
  return std::max(0.0, summarize(seconds).median);
}

/// What the progress loop does, without a product that ends.
class Looks {
 public:
  Looks(MPI_Comm communicator, const Contraction& nothing)
      : communicator_(communicator), messenger_(communicator, nothing) {}

  double in_vain(const std::function<bool()>& over) {
    double looks = 0;
    for (; !over(); ++looks) {
      none_.take(kLookInterval_s);
      messenger_.progress({});
    }
    return looks;
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
    require_mpi(MPI_Irecv(to.data(), count, MPI_INT64_T, other, kLooksTag, communicator_, &requests[0]),
                "receive");
    require_mpi(MPI_Isend(from.data(), count, MPI_INT64_T, other, kLooksTag, communicator_, &requests[1]),
                "send");
    const auto ended = [&] {
      int done = 0;
      require_mpi(MPI_Testall(2, requests.data(), &done, MPI_STATUSES_IGNORE), "exchange");
      return done != 0;
    };
    while (!look_while_pieces_move(ended, [] { return true; })) none_.take(kMovingLookInterval_s);
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
  double exchange(Looks& looks, int other, const std::function<bool()>& over) {
    double bytes = 0;
    for (std::size_t i = 0;; i = (i + 1) % kNumber) {
      const bool mine = over();
      from_[i][0] = std::byte{mine};
      looks.exchange(other, from_[i], to_[i]);
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

LookFigures measure_looks(MPI_Comm communicator, const LookOptions& options, const TimeBudget& budget) {
  const NodePlace place = place_on_node(communicator);
  const Rank rank = rank_in(communicator);
  const int ranks = size_of(communicator);
  const int all = machine_facts().cores;
  const double cores = static_cast<double>(all) / place.ranks;
  Probe probe(std::max(1, all / place.ranks + (place.number < all % place.ranks ? 1 : 0)));
  DenseParameters problem;
  problem.m = problem.n = problem.k = problem.tile = 1;
  const Contraction nothing = dense_contraction(problem);
  Looks looks(communicator, nothing);
  const auto lost = [&](const TimeBudget& part, const UntilOver& work) {
    quiet_barrier(communicator);
    return lost_seconds(probe, cores, options, part, communicator, work);
  };

  double look_s =
      lost(budget.part(1, ranks > 1 ? 2 : 1), [&](const auto& over) { return looks.in_vain(over); });
  look_s = sum_over(communicator, look_s) / ranks;
  double byte_s = 0;
  if (ranks > 1 && rank < 2) {
    Messages messages(options.message_bytes);
    byte_s =
        lost(budget.part(1, 1), [&](const auto& over) { return messages.exchange(looks, 1 - rank, over); });
  } else if (ranks > 1) {
    lost(budget.part(1, 1), [&](const auto& over) { return looks.nothing(over); });
  }
  byte_s = sum_over(communicator, byte_s) / 2;
  return {look_s, byte_s > 0 ? 1 / byte_s : 0};
}

}  // namespace foretile
