// Rehearsing C65H132 v1, every task: target 40 s and 1.5 GB on 108 GPUs (50,000 GEMMs/s), 300,000 GEMMs/s
// on 3.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planner/problem.hpp"
#include "planner/strategy.hpp"
#include "planner/verify.hpp"
#include "platforms/loader.hpp"
#include "simulator/simulation.hpp"

namespace {

using namespace foretile;

/// SimGrid has one engine per process: each turn runs in a child. Returns the child's peak memory, or -1.
double simulate_in_child(const Plan& plan, const Contraction& contraction, const Machine& machine) {
  const pid_t child = fork();
  if (child == 0) {
    simulate(plan, contraction, machine);
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return -1;
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

void simulate_c65_v1(benchmark::State& state) {
  const Contraction contraction = build_contraction(load_problem("c65-v1"));
  const Machine machine = make_machine(load_platform("summit"),
                                       {.nodes = {}, .ranks = {}, .gpus = static_cast<int>(state.range(0))});
  const Plan plan = make_plan(contraction, machine, {});
  const auto gemms = static_cast<double>(verify(plan, contraction).gemms);
  for (auto _ : state) {
    const double bytes = simulate_in_child(plan, contraction, machine);
    if (bytes < 0) state.SkipWithError("the simulation failed");
    state.counters["peak_rss_bytes"] = bytes;
  }
  state.counters["gemms_per_s"] =
      benchmark::Counter(gemms * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(simulate_c65_v1)->ArgName("gpus")->Arg(3)->Arg(108)->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
