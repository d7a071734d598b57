// SPDX-License-Identifier: BSD-3-Clause
// Simulating every task. C65H132 v1: target 40 s and 1.5 GB on 108 GPUs (50,000 GEMMs/s), 300,000 GEMMs/s on
// 3. Dense with stationary-c on the 432 GPUs of 72 Summit nodes: target 30,000 GEMMs/s.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "planner/problem/kinds/problem.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "platforms/loader.hpp"
#include "simulator/simgrid/simgrid.hpp"
#include "simulator/simulation.hpp"

namespace {

using namespace foretile;

/// SimGrid has one engine per process: each turn runs in a child. Returns what the child used, or nothing.
std::optional<rusage> simulate_in_child(const Plan& plan, const Contraction& contraction,
                                        const Machine& machine) {
  const pid_t child = fork();
  if (child == 0) {
    use_simgrid();
    simulate(plan, contraction, machine);
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return {};
  return usage;
}

void simulate_plan(benchmark::State& state, const Plan& plan, const Contraction& contraction,
                   const Machine& machine, double gemms) {
  for (auto _ : state) {
    const auto used = simulate_in_child(plan, contraction, machine);
    if (!used) {
      state.SkipWithError("the simulation failed");
      return;
    }
    const auto cpu_s =
        static_cast<double>(used->ru_utime.tv_sec) + 1e-6 * static_cast<double>(used->ru_utime.tv_usec);
    state.counters["peak_rss_bytes"] = 1024.0 * static_cast<double>(used->ru_maxrss);
    state.counters["gemms_per_cpu_s"] = gemms / cpu_s;
  }
  state.counters["gemms_per_s"] =
      benchmark::Counter(gemms * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void simulate_c65_v1(benchmark::State& state) {
  const Contraction contraction = build_contraction(load_problem("c65-v1"));
  const Machine machine = make_machine(load_platform("summit"),
                                       {.nodes = {}, .ranks = {}, .gpus = static_cast<int>(state.range(0))});
  const Plan plan = make_plan(contraction, machine, {});
  simulate_plan(state, plan, contraction, machine, static_cast<double>(verify(plan, contraction).gemms));
}
BENCHMARK(simulate_c65_v1)->ArgName("gpus")->Arg(3)->Arg(108)->Unit(benchmark::kSecond)->UseRealTime();

/// Square matrices of so many tiles of 1024 a side; without barriers, or with global ones.
void simulate_dense_432_gpus(benchmark::State& state) {
  const std::int64_t tiles = state.range(0);
  const Tiling tiling = Tiling::uniform(tiles * 1024, 1024);
  const Shape shape = Shape::dense(tiling.tiles(), tiling.tiles());
  const Contraction contraction{"", tiling, tiling, tiling, shape, shape, shape, 1};
  const Machine machine = make_machine(load_platform("summit"), {.nodes = 72, .ranks = {}, .gpus = {}});
  const Plan plan = make_plan(
      contraction, machine, {{"strategy", "stationary-c"}, {"barriers", state.range(1) ? "global" : "none"}});
  simulate_plan(state, plan, contraction, machine, static_cast<double>(tiles * tiles * tiles));
}
BENCHMARK(simulate_dense_432_gpus)
    ->ArgNames({"tiles", "global"})
    ->Args({72, 0})
    ->Args({96, 0})
    ->Args({96, 1})
    ->Args({144, 1})
    ->Unit(benchmark::kSecond)
    ->UseRealTime();

}  // namespace
