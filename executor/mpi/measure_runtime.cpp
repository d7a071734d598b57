#include "executor/mpi/measure_runtime.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "executor/cpu/blas.hpp"
#include "executor/measure.hpp"
#include "executor/measure_gpu.hpp"
#include "executor/mpi/post.hpp"
#include "executor/run.hpp"
#include "planner/plan_file.hpp"
#include "planner/problems/dense.hpp"
#include "platforms/here.hpp"
#include "platforms/loader.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kTile = 16;

int rank_of(MPI_Comm communicator) {
  int rank = 0;
  require_mpi(MPI_Comm_rank(communicator, &rank), "rank");
  return rank;
}

int ranks_of(MPI_Comm communicator) {
  int ranks = 1;
  require_mpi(MPI_Comm_size(communicator, &ranks), "size");
  return ranks;
}

/// The same on all ranks: that of rank 0.
double shared(double value, MPI_Comm communicator) {
  require_mpi(MPI_Bcast(&value, 1, MPI_DOUBLE, 0, communicator), "figure");
  return value;
}

PlannedWork small_work(int tiles, int ranks) {
  DenseParameters problem;
  problem.m = problem.n = problem.k = tiles * kTile;
  problem.tile = kTile;
  MachineSize size;
  size.ranks = ranks;
  const Platform platform = parse_platform(estimated_here(machine_facts()), "calibration");
  return plan_work(dense_contraction(problem), make_machine(platform, size),
                   {{"strategy", "stationary-c"}, {"barriers", "none"}});
}

/// Seconds that one core took per product: elapsed time over the products of the busiest device.
double seconds_per_product(const PlannedWork& work, MPI_Comm communicator) {
  const int rank = rank_of(communicator);
  const RankPlan idle{std::vector<DevicePlan>(static_cast<std::size_t>(work.machine.devices_per_rank)), {}};
  const bool busy = rank < work.plan.grid.size();
  const RunResult result = run(work.plan, busy ? work.plan.ranks[static_cast<std::size_t>(rank)] : idle,
                               work.contraction, work.machine, communicator);
  std::int64_t most = 1;
  for (const DeviceStatistics& device : result.statistics.devices) most = std::max(most, device.kernels);
  require_mpi(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, communicator), "products");
  const int devices = work.machine.devices_per_rank * ranks_of(communicator);
  const double cores = std::max(1, machine_facts().cores);
  const double turns = std::max(1.0, devices / cores);  // devices that share a core take turns
  return result.wall_s / static_cast<double>(most) / turns;
}

/// What the product takes by itself, its tiles in the cache.
double bare_product_seconds() {
  constexpr int repetitions = 2000;
  constexpr std::size_t elements = kTile * kTile;
  std::vector<double> a(elements, 1.0), b(elements, 1.0), c(elements, 0.0);
  const Timing timing = time_on_all_cores({1, 0.01, 3}, [&](int, int) {
    for (int i = 0; i < repetitions; ++i)
      gemm(kTile, kTile, kTile, a.data(), kTile, b.data(), kTile, c.data(), kTile);
  });
  return summarize(timing.seconds).median / repetitions;
}

Summary time_products(const RuntimeOptions& options, MPI_Comm communicator) {
  const PlannedWork work = small_work(options.tiles, ranks_of(communicator));
  std::vector<double> seconds;
  for (int i = 0; i < options.runs; ++i) seconds.push_back(seconds_per_product(work, communicator));
  return summarize(seconds);
}

/// With all ranks, and with rank 0 alone on all cores, whose progress loop then serves several devices.
void measure_products(const RuntimeOptions& options, MPI_Comm communicator, RuntimeFigures& figures) {
  const double bare = bare_product_seconds();
  const Summary together = time_products(options, communicator);
  quiet_barrier(communicator);
  const Summary one = rank_of(communicator) == 0 ? time_products(options, MPI_COMM_SELF) : Summary{};
  quiet_barrier(communicator);
  figures.product_overhead_s = shared(std::max(together.median - bare, 0.0), communicator);
  figures.overhead_spread = shared(together.spread / together.median, communicator);
  figures.shared_product_overhead_s = shared(std::max(one.median - bare, 0.0), communicator);
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Sends all messages to the other rank while it receives as many; looks at MPI as the progress loop does.
void exchange(MPI_Comm communicator, int other, std::vector<std::byte>& from, std::vector<std::byte>& to,
              std::int64_t bytes) {
  const int count = static_cast<int>(bytes / 8);
  std::vector<MPI_Request> requests;
  for (std::size_t at = 0; at < from.size(); at += static_cast<std::size_t>(bytes)) {
    requests.emplace_back();
    require_mpi(MPI_Irecv(to.data() + at, count, MPI_INT64_T, other, 0, communicator, &requests.back()),
                "receive");
    requests.emplace_back();
    require_mpi(MPI_Isend(from.data() + at, count, MPI_INT64_T, other, 0, communicator, &requests.back()),
                "send");
  }
  for (;;) {
    int done = 0;
    require_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
                "exchange");
    if (done) return;
  }
}

void measure_message_copies(const RuntimeOptions& options, MPI_Comm communicator, RuntimeFigures& figures) {
  if (ranks_of(communicator) < 2) return;
  const int rank = rank_of(communicator);
  const std::int64_t all = options.message_bytes * options.messages;
  double rate = 0;
  if (rank < 2) {
    std::vector<std::byte> from(static_cast<std::size_t>(all)), to(static_cast<std::size_t>(all));
    std::vector<double> rates;
    for (int i = 0; i < options.runs; ++i) {
      const double start = processor_seconds();
      exchange(communicator, 1 - rank, from, to, options.message_bytes);
      rates.push_back(2 * static_cast<double>(all) / (processor_seconds() - start));
    }
    rate = summarize(rates).median;
  }
  figures.message_copy_bytes_per_s = shared(rate, communicator);
}

}  // namespace

RuntimeFigures measure_runtime(MPI_Comm communicator, const RuntimeOptions& options) {
  RuntimeFigures figures;
  figures.when = utc_now();
  measure_products(options, communicator, figures);
  measure_message_copies(options, communicator, figures);
  quiet_barrier(communicator);
  return figures;
}

}  // namespace foretile
