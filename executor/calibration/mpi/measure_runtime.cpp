// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/mpi/measure_runtime.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "executor/calibration/core_products.hpp"
#include "executor/calibration/measure.hpp"
#include "executor/calibration/measure_gpu.hpp"
#include "executor/calibration/mpi/measure_polling.hpp"
#include "executor/cpu/thread_seconds.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/run.hpp"
#include "planner/plan_file.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/random.hpp"
#include "platforms/here.hpp"
#include "platforms/loader.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kSmall = 16;
constexpr std::int64_t kLarge = 64;

/// The same on all ranks: that of rank 0.
double shared(double value, MPI_Comm communicator) {
  return broadcast(value, 0, communicator, "figure");
}

PlannedWork work_of(Contraction contraction, int ranks, const Settings& settings, std::int64_t memory_bytes) {
  MachineSize size;
  size.ranks = ranks;
  Platform platform = parse_platform(estimated_here(machine_facts()), "calibration");
  if (memory_bytes > 0) platform.device.memory_bytes = memory_bytes;
  return plan_work(std::move(contraction), make_machine(platform, size), settings);
}

/// With B from there: the strategy is the first that honours this source. What is measured relies on B that
/// streams past C where it is given, and stays with it where it is made.
Contraction with_b(Contraction contraction, Source b) {
  contraction.sources = {Source::given, b};
  return contraction;
}

/// Few tiles, each of which meets many others.
PlannedWork dense_work(std::int64_t tile, int tiles, int ranks) {
  DenseParameters problem;
  problem.m = problem.n = problem.k = tiles * tile;
  problem.tile = tile;
  return work_of(with_b(dense_contraction(problem), Source::given), ranks, {{"barriers", "none"}}, 0);
}

/// `size`: M, N and K in tiles. `blocks` of columns on each device, each of which needs all of A.
PlannedWork sparse_work(const std::array<int, 3>& size, double density, int blocks) {
  RandomParameters problem;
  problem.m = size[0] * kLarge;
  problem.n = size[1] * kLarge;
  problem.k = size[2] * kLarge;
  problem.tile_min = problem.tile_max = kLarge;
  problem.a_density = problem.b_density = density;
  const std::int64_t c_bytes = problem.m * problem.n * 8;
  const std::int64_t columns_bytes = 8 * problem.m * kLarge * 8;  // a few columns of tiles of B and C fit
  return work_of(with_b(random_contraction(problem), Source::generated), 1, {},
                 std::max(2 * c_bytes / blocks, columns_bytes));
}

RunCounts count(const RunResult& result, std::int64_t tile_bytes, MPI_Comm communicator) {
  const RankStatistics& mine = result.statistics;
  RunCounts c{result.wall_s, result.progress_s, 0, static_cast<double>(mine.generate_operations),
              static_cast<double>(mine.generated_tiles)};
  for (const DeviceStatistics& device : mine.devices) {
    c.products += static_cast<double>(device.kernels);
    c.operations += static_cast<double>(device.launches);
    c.loads += static_cast<double>(device.host_loads);
    const std::int64_t tiles_of_c = device.d2h_bytes / tile_bytes;
    c.stores += static_cast<double>(tiles_of_c);
    c.most_products = std::max(c.most_products, static_cast<double>(device.kernels));
  }
  std::array<double, 5> sums{c.progress_s, c.products, c.operations, c.loads, c.stores};
  all_reduce(std::span(sums), MPI_SUM, communicator, "counts");
  c.most_products = all_reduced(c.most_products, MPI_MAX, communicator, "products");
  return {c.wall_s, sums[0], sums[1], sums[2], sums[3], sums[4], c.most_products};
}

RunCounts count_run(const PlannedWork& work, std::int64_t tile, MPI_Comm communicator) {
  return count(run(work.plan, work.contraction, work.machine, communicator), tile * tile * 8, communicator);
}

/// Whether a run is repeated: as rank 0 says, so that all ranks do.
bool another_run(int done, const RuntimeOptions& options, const TimeBudget& budget, MPI_Comm communicator) {
  if (options.progress) options.progress();
  return done == 0 ||
         (done < options.runs && broadcast(budget.over() ? 0 : 1, 0, communicator, "time left") != 0);
}

std::vector<RunCounts> count_runs(const PlannedWork& work, std::int64_t tile, const RuntimeOptions& options,
                                  const TimeBudget& budget, MPI_Comm communicator) {
  std::vector<RunCounts> runs;
  while (another_run(static_cast<int>(runs.size()), options, budget, communicator))
    runs.push_back(count_run(work, tile, communicator));
  return runs;
}

/// This rank alone on all cores, so that no message is copied.
ProgressOverheads measure_progress(const RuntimeOptions& options, const TimeBudget& budget) {
  const int t = options.large_tiles;
  const auto cost = [&](const TimeBudget& part, const PlannedWork& work) {
    return progress_cost(count_runs(work, kLarge, options, part, MPI_COMM_SELF));
  };
  const ProgressCost few = cost(budget.part(1, 3), dense_work(kLarge, 2 * t, 1));
  const ProgressCost loads = cost(budget.part(1, 2), sparse_work({8 * t, t, 8 * t}, 0.2, 4));
  return progress_overheads(few, loads, cost(budget.part(1, 1), sparse_work({4 * t, 4 * t, 4 * t}, 0.1, 4)));
}

/// Time of the kernel alone on tiles of matrices of `matrix_bytes` each, one thread on each rank.
double kernel_seconds(std::int64_t matrix_bytes, MPI_Comm communicator) {
  std::vector<Workspace> spaces = make_workspaces(1, 3 * matrix_bytes, kSmall);
  fill(spaces, Precision::f64);
  quiet_barrier(communicator);
  const Timing timing =
      time_product({1, 0.01, 5}, spaces, {Precision::f64}, {kSmall, kSmall, kSmall}, matrix_bytes);
  return summarize(timing.seconds).median;
}

Summary measure_product_overhead(const RuntimeOptions& options, double kernel_s,
                                 const ProgressOverheads& progress, const TimeBudget& budget,
                                 MPI_Comm communicator) {
  const PlannedWork work = dense_work(kSmall, options.tiles, size_of(communicator));
  const double devices = work.machine.devices_per_rank * size_of(communicator);
  const double turns = std::max(1.0, devices / std::max(1, machine_facts().cores));
  return product_overhead(count_runs(work, kSmall, options, budget, communicator), turns, kernel_s, progress);
}

/// With all ranks, and with rank 0 alone on all cores, whose progress loop then serves several devices.
void measure_products(const RuntimeOptions& options, MPI_Comm communicator, RuntimeFigures& figures) {
  const bool first = rank_in(communicator) == 0;
  ProgressOverheads progress;
  if (first) progress = measure_progress(options, options.budget.part(3, 8));
  for (double* figure : {&progress.operation_s, &progress.load_s, &progress.store_s})
    *figure = shared(*figure, communicator);
  const std::int64_t matrix_bytes = std::int64_t{8} * options.tiles * options.tiles * kSmall * kSmall;
  const double kernel_s = kernel_seconds(matrix_bytes, communicator);
  const Summary found =
      measure_product_overhead(options, kernel_s, progress, options.budget.part(1, 5), communicator);
  quiet_barrier(communicator);
  double alone_s = 0;
  if (first)
    alone_s = measure_product_overhead(options, kernel_s, progress, options.budget.part(1, 4), MPI_COMM_SELF)
                  .median;
  figures.operation_overhead_s = progress.operation_s;
  figures.load_overhead_s = progress.load_s;
  figures.store_overhead_s = progress.store_s;
  figures.product_overhead_s = shared(found.median, communicator);
  figures.shared_product_overhead_s = shared(alone_s, communicator);
  figures.overhead_spread = shared(found.spread, communicator);
}

}  // namespace

ProgressOverheads progress_overheads(const ProgressCost& few, const ProgressCost& many_loads,
                                     const ProgressCost& many_stores) {
  constexpr int kRounds = 100;  // each work is mostly for its own figure, so that far fewer would do
  const auto share = [](double seconds, double tiles) {
    return tiles > 0 ? std::max(0.0, seconds) / tiles : 0.0;
  };
  ProgressOverheads x;
  for (int i = 0; i < kRounds; ++i) {
    x.operation_s = std::max(0.0, few.seconds - x.load_s * few.loads - x.store_s * few.stores);
    x.load_s = share(many_loads.seconds - x.operation_s - x.store_s * many_loads.stores, many_loads.loads);
    x.store_s = share(many_stores.seconds - x.operation_s - x.load_s * many_stores.loads, many_stores.stores);
  }
  return x;
}

ProgressCost progress_cost(const std::vector<RunCounts>& runs) {
  std::vector<double> seconds;
  for (const RunCounts& run : runs) seconds.push_back(run.progress_s / std::max(1.0, run.operations));
  const RunCounts& last = runs.back();
  const double operations = std::max(1.0, last.operations);
  return {summarize(seconds).median, last.loads / operations, last.stores / operations};
}

Summary product_overhead(const std::vector<RunCounts>& runs, double turns, double kernel_s,
                         const ProgressOverheads& progress) {
  std::vector<double> seconds;
  for (const RunCounts& run : runs) seconds.push_back(run.wall_s / std::max(1.0, run.most_products) / turns);
  const Summary all = summarize(seconds);
  const RunCounts& last = runs.back();
  const double operations = std::max(1.0, last.operations);
  const double progress_s =
      progress.seconds(last.loads / operations, last.stores / operations) * operations / last.products;
  return {std::max(0.0, all.median - kernel_s - progress_s), all.spread / all.median};
}

RuntimeFigures measure_runtime(MPI_Comm communicator, const RuntimeOptions& options) {
  RuntimeFigures figures;
  figures.when = utc_now();
  measure_products(options, communicator, figures);
  const PollingFigures polling = measure_polling(communicator, options.polling, options.budget);
  figures.look_overhead_s = polling.poll_s;
  figures.polling_delay_s = polling.polling_delay_s;
  figures.message_copy_bytes_per_s = polling.copy_bytes_per_s;
  quiet_barrier(communicator);
  return figures;
}

}  // namespace foretile
