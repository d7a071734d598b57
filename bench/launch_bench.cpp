// SPDX-License-Identifier: BSD-3-Clause
// What the host does per product of small tiles, from the scheduler to the device's door: GPUs that take no
// time stand behind the back end. A GPU is kept busy only by products that take longer than this.
#include <benchmark/benchmark.h>

#include <chrono>

#include "executor/backends/gpu_backend.hpp"
#include "executor/gpu/memory_pool.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/loader.hpp"
#include "scheduler/options.hpp"
#include "scheduler/rank_scheduler.hpp"
#include "tests/executor/gpu/instant_gpus.hpp"

namespace foretile {
namespace {

Machine one_gpu() {
  return make_machine(load_platform("summit", {"platform.sockets_per_node=1", "platform.ranks_per_node=1",
                                               "platform.socket.devices=1"}),
                      {});
}

/// 64,000 products of tiles of 64; argument: products in a launch.
void Launches(benchmark::State& state) {
  constexpr std::int64_t kExtent = 2560, kMatrix = kExtent * kExtent * 8;
  DenseParameters shape;
  shape.m = shape.n = shape.k = kExtent;
  shape.tile = 64;
  const Contraction problem = dense_contraction(shape);
  const Machine machine = one_gpu();
  const Plan plan =
      make_plan(problem, machine, {{"strategy", "stationary-c"}, {"batch", std::to_string(state.range(0))}});
  InstantGpus gpus;
  std::int64_t products = 0;
  for (auto _ : state) {
    PinnedPool pool(gpus, std::int64_t{2} * 3 * kMatrix);  // all three, and room for holes
    HostStore host(problem, plan, plan.ranks[0], 0, {1, &pool});
    GpuBackend backend(problem, plan, plan.ranks[0], host, gpus, {0, 0, 4, 1}, {});
    RankScheduler scheduler(plan, plan.ranks[0], problem, 0, backend,
                            scheduler_options(plan, plan.ranks[0], problem, machine, 0));
    const auto start = std::chrono::steady_clock::now();
    scheduler.start();
    while (!scheduler.finished()) {
      for (const auto& [id, time] : backend.ended(0)) scheduler.done(id, time);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(took.count());
    products += scheduler.statistics().devices[0].kernels;
  }
  state.SetItemsProcessed(products);
}
BENCHMARK(Launches)->Arg(1)->Arg(16)->Arg(256)->Unit(benchmark::kMillisecond)->UseManualTime();

}  // namespace
}  // namespace foretile
