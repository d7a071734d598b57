#include "executor/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "executor/cpu/cpu_backend.hpp"
#include "executor/mpi/post.hpp"
#include "planner/owners.hpp"
#include "scheduler/options.hpp"
#include "scheduler/rank_scheduler.hpp"

namespace foretile {

namespace {

/// How long the loop sleeps at most. On CPU cores each look at MPI takes time from the products, so looks get
/// rarer while all cores work and no message comes. Work that ends wakes the loop at once.
class Nap {
 public:
  double seconds(bool messages_expected, bool cores_idle) const {
    if (!messages_expected) return 1.0;
    return cores_idle ? kIdle : nap_;
  }
  void news(bool any) { nap_ = any ? kShortest : std::min(2 * nap_, kLongest); }

 private:
  static constexpr double kIdle = 10e-6;
  static constexpr double kShortest = 100e-6;
  static constexpr double kLongest = 2e-3;
  double nap_ = kShortest;
};

int position_of(const Broadcast& broadcast, int rank) {
  for (std::size_t d = 0; d < broadcast.destinations.size(); ++d) {
    if (broadcast.destinations[d] == rank) return static_cast<int>(d) + 1;
  }
  throw WorkError(fmt::format("rank {}: a message for others", rank));
}

/// Without knowing the sender's path, arrival counts as network time from the start.
Path arrival(double now) {
  return Path{}.plus(Cause::network, now);
}

/// Touches the memory and gives it back to the allocator, which keeps it (see foretile-run's main).
void fill_pool(std::int64_t bytes) {
  constexpr std::int64_t kPiece = 1 << 24;
  std::vector<TileBuffer> pieces;
  for (std::int64_t taken = 0; taken < bytes; taken += kPiece) {
    pieces.emplace_back(kPiece);
    for (std::int64_t at = 0; at < kPiece / 8; at += 512) pieces.back().data()[at] = 0;
  }
}

void progress_loop(RankScheduler& scheduler, CpuBackend& backend, Post& post, HostStore& host, int rank) {
  Post::Listener listener;
  listener.sent = [&](OperationId id) { scheduler.done(id); };
  listener.received = [&](std::shared_ptr<MessageBuffer> buffer) {
    const Message message{buffer->broadcast(), buffer->owner(), buffer->number(),
                          position_of(*buffer->broadcast(), rank), buffer->tile_bytes()};
    host.keep(std::move(buffer));
    scheduler.received(message, arrival(backend.now()));
  };
  listener.signalled = [&](const Signal& signal) { scheduler.signalled(signal); };
  Nap nap;
  while (!scheduler.finished()) {
    const bool any = post.progress(listener);
    nap.news(any || post.moving());
    for (const OperationId id :
         backend.ended(any ? 0.0 : nap.seconds(scheduler.expects_messages(), scheduler.cores_idle()))) {
      scheduler.done(id);
    }
  }
  while (!post.idle()) post.progress(listener);  // the last signals leave
}

}  // namespace

RunResult run(const Plan& frame, const RankPlan& plan, const Contraction& contraction, const Machine& machine,
              MPI_Comm communicator, const RunOptions& options) {
  int rank = 0;
  require_mpi(MPI_Comm_rank(communicator, &rank), "rank");
  RunResult result;
  result.host = std::make_unique<HostStore>(contraction, frame, plan, rank);
  Post post(communicator, contraction);
  SchedulerOptions scheduling = scheduler_options(frame, machine, rank);
  scheduling.zero_copy = scheduling.zero_copy && !options.copies;
  scheduling.in_plan_order = options.in_plan_order;
  const int cores_here = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  scheduling.core_slots = std::min(scheduling.core_slots, cores_here);  // a plan for another machine
  Mail mail;
  mail.send = [&](OperationId id, int to, const Message& message) {
    post.send(id, to, result.host->message(message.owner, message.number));
  };
  mail.signal = [&](int to, const Signal& signal) { post.signal(to, signal); };
  CpuBackend backend(contraction, *result.host, machine.devices_per_rank, scheduling.core_slots,
                     std::move(mail));
  RankScheduler scheduler(frame, plan, contraction, rank, backend, scheduling, options.trace);

  fill_pool(options.pool_bytes);
  quiet_barrier(communicator);
  backend.start_clock();
  scheduler.start();
  progress_loop(scheduler, backend, post, *result.host, rank);
  result.statistics = scheduler.statistics();
  quiet_barrier(communicator);
  require_mpi(
      MPI_Allreduce(&result.statistics.finish_s, &result.wall_s, 1, MPI_DOUBLE, MPI_MAX, communicator),
      "end of the run");
  return result;
}

}  // namespace foretile
