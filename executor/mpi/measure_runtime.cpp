#include "executor/mpi/measure_runtime.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "executor/core_products.hpp"
#include "executor/measure.hpp"
#include "executor/measure_gpu.hpp"
#include "executor/mpi/post.hpp"
#include "executor/run.hpp"
#include "planner/plan_file.hpp"
#include "planner/problems/dense.hpp"
#include "planner/problems/random.hpp"
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

PlannedWork work_of(Contraction contraction, int ranks, const Settings& settings, std::int64_t memory_bytes) {
  MachineSize size;
  size.ranks = ranks;
  Platform platform = parse_platform(estimated_here(machine_facts()), "calibration");
  if (memory_bytes > 0) platform.device.memory_bytes = memory_bytes;
  return plan_work(std::move(contraction), make_machine(platform, size), settings);
}

/// Few tiles, each of which meets many others.
PlannedWork dense_work(int tiles, int ranks) {
  DenseParameters problem;
  problem.m = problem.n = problem.k = tiles * kTile;
  problem.tile = kTile;
  return work_of(dense_contraction(problem), ranks, {{"strategy", "stationary-c"}, {"barriers", "none"}}, 0);
}

/// `size`: M, N and K in tiles. `blocks` of columns on each device, each of which needs all of A.
PlannedWork sparse_work(const std::array<int, 3>& size, double density, int blocks, int ranks) {
  RandomParameters problem;
  problem.m = size[0] * kTile;
  problem.n = size[1] * kTile;
  problem.k = size[2] * kTile;
  problem.tile_min = problem.tile_max = kTile;
  problem.a_density = problem.b_density = density;
  const std::int64_t c_bytes = problem.m * problem.n * 8;
  const std::int64_t columns_bytes = 8 * problem.m * kTile * 8;  // a few columns of tiles of B and C fit
  return work_of(random_contraction(problem), ranks, {{"strategy", "stationary-b"}},
                 std::max(2 * c_bytes / ranks / blocks, columns_bytes));
}

/// Of the busiest device; seconds with the kernel's.
ProductCost cost_per_product(const PlannedWork& work, MPI_Comm communicator) {
  constexpr std::int64_t tile_bytes = kTile * kTile * 8;
  const int rank = rank_of(communicator);
  const RankPlan idle{std::vector<DevicePlan>(static_cast<std::size_t>(work.machine.devices_per_rank)), {}};
  const bool busy = rank < work.plan.grid.size();
  const RunResult result = run(work.plan, busy ? work.plan.ranks[static_cast<std::size_t>(rank)] : idle,
                               work.contraction, work.machine, communicator);
  const std::int64_t b_tiles = result.statistics.generated_tiles / work.machine.devices_per_rank;
  std::array<std::int64_t, 3> most{1, 0, 0};  // products, loads, stores
  for (const DeviceStatistics& device : result.statistics.devices) {
    most[0] = std::max(most[0], device.kernels);
    most[1] = std::max(most[1], device.host_loads + b_tiles);
    most[2] = std::max(most[2], device.d2h_bytes / tile_bytes);
  }
  require_mpi(MPI_Allreduce(MPI_IN_PLACE, most.data(), 3, MPI_INT64_T, MPI_MAX, communicator), "products");
  const int devices = work.machine.devices_per_rank * ranks_of(communicator);
  const double cores = std::max(1, machine_facts().cores);
  const double turns = std::max(1.0, devices / cores);  // devices that share a core take turns
  const auto products = static_cast<double>(most[0]);
  return {result.wall_s / products / turns, static_cast<double>(most[1]) / products,
          static_cast<double>(most[2]) / products};
}

/// Time of the kernel alone on tiles of matrices of `matrix_bytes` each, one thread on each rank.
double kernel_seconds(std::vector<Workspace>& spaces, std::int64_t matrix_bytes) {
  const Timing timing =
      time_product({1, 0.01, 5}, spaces, Precision::f64, {kTile, kTile, kTile}, matrix_bytes);
  return summarize(timing.seconds).median;
}

struct Costs {
  ProductCost cost;
  double spread = 0;  ///< relative, of the time with the kernel
};

/// The median of several runs.
Costs time_products(const PlannedWork& work, double kernel_s, int runs, MPI_Comm communicator) {
  Costs costs;
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) {
    costs.cost = cost_per_product(work, communicator);
    seconds.push_back(costs.cost.seconds);
  }
  const Summary all = summarize(seconds);
  costs.cost.seconds = all.median - kernel_s;
  costs.spread = all.spread / all.median;
  return costs;
}

/// With all ranks, and with rank 0 alone on all cores, whose progress loop then serves several devices.
void measure_products(const RuntimeOptions& options, MPI_Comm communicator, RuntimeFigures& figures) {
  std::vector<Workspace> spaces = make_workspaces(1, 3 * options.matrix_bytes, kTile);
  fill(spaces, Precision::f64);
  quiet_barrier(communicator);
  const int t = options.tiles;
  const double dense_kernel_s = kernel_seconds(spaces, std::int64_t{8} * t * t * kTile * kTile);
  const double sparse_kernel_s = kernel_seconds(spaces, options.matrix_bytes);  // its tiles come from memory
  spaces.clear();
  const int ranks = ranks_of(communicator);
  const auto time = [&](const PlannedWork& work, double kernel_s) {
    return time_products(work, kernel_s, options.runs, communicator);
  };
  const Costs few = time(dense_work(t, ranks), dense_kernel_s);
  const Costs loads = time(sparse_work({8 * t, t, 8 * t}, 0.2, 4, ranks), sparse_kernel_s);
  const Costs stores = time(sparse_work({4 * t, 4 * t, 4 * t}, 0.1, 4, ranks), sparse_kernel_s);
  quiet_barrier(communicator);
  double alone_s = 0;
  if (rank_of(communicator) == 0)
    alone_s = time_products(dense_work(t, 1), dense_kernel_s, options.runs, MPI_COMM_SELF).cost.seconds;
  quiet_barrier(communicator);
  const ProductOverheads found = product_overheads(few.cost, loads.cost, stores.cost, alone_s);
  figures.product_overhead_s = shared(found.product_s, communicator);
  figures.shared_product_overhead_s = shared(found.shared_product_s, communicator);
  figures.load_overhead_s = shared(found.load_s, communicator);
  figures.store_overhead_s = shared(found.store_s, communicator);
  figures.overhead_spread = shared(few.spread, communicator);
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

ProductOverheads product_overheads(const ProductCost& few, const ProductCost& many_loads,
                                   const ProductCost& many_stores, double alone_s) {
  const auto share = [](double seconds, double tiles) {
    return tiles > 0 ? std::max(0.0, seconds) / tiles : 0.0;
  };
  ProductOverheads x;
  for (int i = 0; i < 100; ++i) {  // each work is mostly for its own figure: a few rounds are enough
    x.product_s = std::max(0.0, few.seconds - x.load_s * few.loads - x.store_s * few.stores);
    x.load_s = share(many_loads.seconds - x.product_s - x.store_s * many_loads.stores, many_loads.loads);
    x.store_s = share(many_stores.seconds - x.product_s - x.load_s * many_stores.loads, many_stores.stores);
  }
  x.shared_product_s = std::max(0.0, alone_s - x.load_s * few.loads - x.store_s * few.stores);
  return x;
}

RuntimeFigures measure_runtime(MPI_Comm communicator, const RuntimeOptions& options) {
  RuntimeFigures figures;
  figures.when = utc_now();
  measure_products(options, communicator, figures);
  measure_message_copies(options, communicator, figures);
  quiet_barrier(communicator);
  return figures;
}

}  // namespace foretile
